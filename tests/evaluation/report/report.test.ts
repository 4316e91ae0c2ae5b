import { describe, expect, it } from 'vitest';
import type { Qrels, Run } from '../../../src/collection/index.js';
import { labelsOf } from '../../../src/evaluation/report/tables.js';
import {
  compareRuns,
  evaluate,
  formatReport,
  parseMeasures,
  type EvaluationReport,
} from '../../../src/evaluation/index.js';

const queries = ['1', '2', '3', '4', '5', '6'];
const qrels: Qrels = new Map(queries.map((query) => [query, new Map([['x', 1]])]));

/** A run that ranks the relevant document at these places. */
function runOf(ranks: readonly number[]): Run {
  return new Map(
    ranks.map((rank, i) => [
      queries[i],
      Array.from({ length: 9 }, (_, place) => ({
        id: place + 1 === rank ? 'x' : `n${place}`,
        score: -place,
      })),
    ]),
  );
}

function report(
  options: Partial<EvaluationReport> & { baselines?: readonly string[] } = {},
): EvaluationReport {
  const { baselines = ['runs/weak.run'], ...rest } = options;
  const measures = parseMeasures('RR,P@1,NumRet');
  const runs = Object.entries({
    'runs/strong.run': [1, 1, 2, 1, 1, 1],
    'runs/weak.run': [3, 4, 2, 5, 3, 2],
    'other_one.txt.gz': [3, 3, 2, 5, 3, 3],
  }).map(([file, ranks]) => ({
    file,
    evaluation: evaluate(runOf(ranks), qrels, { measures }),
    isBaseline: baselines.includes(file),
  }));
  const named = runs.map(({ file, evaluation, isBaseline }) => ({ name: file, evaluation, isBaseline }));
  const comparisons = compareRuns(
    named.filter(({ isBaseline }) => !isBaseline),
    named.filter(({ isBaseline }) => isBaseline),
  );
  return { measures, runs, comparisons, test: 't', correction: 'none', perQuery: false, ...rest };
}

describe('the table for a terminal', () => {
  it('aligns columns, marks the best, puts baselines first and says what was tested', () => {
    expect(formatReport(report(), 'table').split('\n')).toEqual([
      'run               RR          P@1         NumRet',
      '────────────────────────────────────────────────',
      'weak (baseline)   0.3528      0.0000      54',
      'strong          ▸ 0.9167*** ▸ 0.8333***   54',
      'other_one         0.3389      0.0000      54',
      '▸ best of its column',
      '',
      'difference from weak, its 95 % confidence interval, and p',
      'run         RR                           P@1',
      '───────────────────────────────────────────────────────────────────',
      'strong      +0.5639 ±0.3090 p=.0054***   +0.8333 ±0.4284 p=.0041***',
      'other_one   -0.0139 ±0.0860 p=.6952      +0.0000 ±0.0000 p=1.0000',
      'paired t-test, two-tailed, n = 6 queries; up or down, *** p < .01, ** p < .05, * p < .1',
      '',
    ]);
  });

  it('tells several baselines apart by letters', () => {
    const lines = formatReport(report({ baselines: ['runs/weak.run', 'other_one.txt.gz'] }), 'table').split(
      '\n',
    );
    expect(lines.slice(2, 5)).toEqual([
      'weak (baseline a)        0.3528             0.0000             54',
      'other_one (baseline b)   0.3389             0.0000             54',
      'strong                 ▸ 0.9167 a*** b*** ▸ 0.8333 a*** b***   54',
    ]);
    expect(lines).toContain('difference from weak a, its 95 % confidence interval, and p');
    expect(lines).toContain('difference from other_one b, its 95 % confidence interval, and p');
  });

  it('marks nothing without a baseline or with a single run, and shows queries when asked', () => {
    const all = report({ baselines: [], perQuery: true });
    const alone = { ...all, runs: all.runs.slice(0, 1) };
    expect(formatReport(alone, 'table').split('\n')).toEqual([
      'strong',
      'query   RR       P@1      NumRet',
      '────────────────────────────────',
      '1       1.0000   1.0000   9',
      '2       1.0000   1.0000   9',
      '3       0.5000   0.0000   9',
      '4       1.0000   1.0000   9',
      '5       1.0000   1.0000   9',
      '6       1.0000   1.0000   9',
      '',
      'run      RR       P@1      NumRet',
      '─────────────────────────────────',
      'strong   0.9167   0.8333   54',
      '',
    ]);
  });

  it('sets the best in bold where colour is wanted', () => {
    expect(formatReport(report(), 'table', { colour: true })).toContain('▸ \u001B[1m0.9167\u001B[22m***');
  });
});

describe('other formats', () => {
  it('JSON has the shape of the contract', () => {
    const { runs } = JSON.parse(formatReport(report({ perQuery: true }), 'json'));
    expect(runs.map(({ run }: { run: string }) => run)).toEqual([
      'runs/strong.run',
      'runs/weak.run',
      'other_one.txt.gz',
    ]);
    expect(runs[0].measures).toEqual({ RR: 5.5 / 6, 'P@1': 5 / 6, NumRet: 54 });
    expect(runs[0].perQuery['3']).toEqual({ RR: 0.5, 'P@1': 0, NumRet: 9 });
    expect(runs[0].tests).toHaveLength(2);
    expect(runs[0].tests[0]).toEqual({
      baseline: 'runs/weak.run',
      measure: 'RR',
      test: 't',
      p: expect.closeTo(0.005382267463965275, 9),
      star: '***',
      n: 6,
      difference: expect.closeTo(0.563889, 6),
      interval: [expect.closeTo(0.258, 2), expect.closeTo(0.87, 2)],
      effectSize: expect.closeTo(1.93, 1),
    });
    expect(runs[1]).not.toHaveProperty('tests');
    expect(JSON.parse(formatReport(report({ baselines: [] }), 'json')).runs[0]).not.toHaveProperty('tests');
    expect(JSON.parse(formatReport(report(), 'json')).runs[0]).not.toHaveProperty('perQuery');
  });

  it('CSV quotes what must be quoted and keeps full precision', () => {
    const plain = report({ baselines: [] });
    const named = { ...plain, runs: [{ ...plain.runs[1], file: 'a,"b".run' }], perQuery: true };
    expect(formatReport(named, 'csv').split('\n')).toEqual([
      'run,query,RR,P@1,NumRet',
      ...['0.3333333333333333', '0.25', '0.5', '0.2', '0.3333333333333333', '0.5'].map(
        (value, i) => `"a,""b"".run",${i + 1},${value},0,9`,
      ),
      `"a,""b"".run",all,${plain.runs[1].evaluation.summary.get('RR')},0,54`,
      '',
    ]);
    const [header, strong, weak] = formatReport(report(), 'csv').split('\n');
    expect(header).toBe(
      'run,query,RR,P@1,NumRet,p of RR against runs/weak.run,p of P@1 against runs/weak.run',
    );
    expect(strong).toMatch(/^runs\/strong\.run,all,0\.9166\d+,0\.8333\d+,54,0\.0053\d+,0\.0041\d+$/);
    expect(weak).toMatch(/,54,,$/);
  });

  it('Markdown escapes its own signs', () => {
    expect(formatReport(report(), 'markdown').split('\n')).toEqual([
      '| run | RR | P@1 | NumRet |',
      '| :--- | ---: | ---: | ---: |',
      '| weak (baseline) | 0.3528 | 0.0000 | 54 |',
      '| strong | **0.9167**\\*\\*\\* | **0.8333**\\*\\*\\* | 54 |',
      '| other\\_one | 0.3389 | 0.0000 | 54 |',
      '',
      'difference from weak, its 95 % confidence interval, and p:',
      '',
      '| run | RR | P@1 |',
      '| :--- | ---: | ---: |',
      '| strong | +0.5639 ±0.3090 p=.0054\\*\\*\\* | +0.8333 ±0.4284 p=.0041\\*\\*\\* |',
      '| other\\_one | -0.0139 ±0.0860 p=.6952 | +0.0000 ±0.0000 p=1.0000 |',
      '',
      expect.stringMatching(/^paired t-test, two-tailed, n = 6 queries/),
      '',
    ]);
  });

  it('LaTeX escapes its own signs', () => {
    expect(formatReport(report(), 'latex').split('\n')).toEqual([
      '% needs \\usepackage{booktabs}',
      '\\begin{tabular}{llll}',
      '\\toprule',
      'run & RR & P@1 & NumRet \\\\',
      '\\midrule',
      'weak (baseline) & 0.3528 & 0.0000 & 54 \\\\',
      'strong & \\textbf{0.9167}$^{***}$ & \\textbf{0.8333}$^{***}$ & 54 \\\\',
      'other\\_one & 0.3389 & 0.0000 & 54 \\\\',
      '\\bottomrule',
      '\\end{tabular}',
      '',
      '\\begin{tabular}{lll}',
      '\\toprule',
      '\\multicolumn{3}{l}{difference from weak, its 95 \\% confidence interval, and p} \\\\',
      '\\midrule',
      'run & RR & P@1 \\\\',
      '\\midrule',
      'strong & +0.5639 $\\pm$0.3090 p=.0054$^{***}$ & +0.8333 $\\pm$0.4284 p=.0041$^{***}$ \\\\',
      'other\\_one & $-$0.0139 $\\pm$0.0860 p=.6952 & +0.0000 $\\pm$0.0000 p=1.0000 \\\\',
      '\\bottomrule',
      expect.stringMatching(/^\\multicolumn\{3\}\{l\}\{paired t-test, .* p \$<\$ \.01/),
      '\\end{tabular}',
      '',
    ]);
  });

  it('trec tells several runs apart by their file', () => {
    const { runs, ...rest } = report();
    expect(formatReport({ ...rest, runs: runs.slice(0, 2) }, 'trec')).toBe(
      [
        'runid                 \tall\truns/strong.run',
        'recip_rank            \tall\t0.9167',
        'P_1                   \tall\t0.8333',
        'num_ret               \tall\t54',
        'runid                 \tall\truns/weak.run',
        'recip_rank            \tall\t0.3528',
        'P_1                   \tall\t0.0000',
        'num_ret               \tall\t54',
        '',
      ].join('\n'),
    );
  });
});

describe('names of runs', () => {
  it('are short as long as they stay distinct', () => {
    expect([...labelsOf(['a/x.run', 'b/y.txt.gz', 'z', '-', '.run']).values()]).toEqual([
      'x',
      'y',
      'z',
      '-',
      '.run',
    ]);
    expect([...labelsOf(['a/x.run', 'b/x.run']).values()]).toEqual(['a/x.run', 'b/x.run']);
  });
});
