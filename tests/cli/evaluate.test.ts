import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { evaluateCommand } from '../../src/cli/commands/evaluate.js';
import { parseArguments } from '../../src/cli/options.js';
import { writeFiles } from '../evaluation/support/files.js';
import { refusal, runHere, words } from './support.js';

const run = (...args: string[]) => runHere('evaluate', ...args);

const qrels = '1 0 a 1\n1 0 b 0\n2 0 a 2\n2 0 c 1\n3 0 a 1\n';
const runA = '1 Q0 a 1 2.0 A\n1 Q0 b 2 1.0 A\n2 Q0 a 1 2.0 A\n2 Q0 c 2 1.5 A\n3 Q0 a 1 1 A\n';
const runB = '1 Q0 b 1 2.0 B\n1 Q0 a 2 1.0 B\n2 Q0 c 1 2.0 B\n2 Q0 a 2 1.5 B\n';

describe('bert-qe evaluate', () => {
  it("prints the paper's measures in a table", async () => {
    const [q, a] = writeFiles({ qrels, 'a.run': runA });
    const { code, stdout } = await run('--qrels', q, a);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'run   P@20     nDCG@20   AP@100   AP@1000',
      '─────────────────────────────────────────',
      'a     0.0667   1.0000    1.0000   1.0000',
      '',
    ]);
  });

  it('warns of judged queries without results, and counts them when asked', async () => {
    const [q, b] = writeFiles({ qrels, 'b.run': runB });
    const args = ['--qrels', q, b, '--measures', 'RR', '--json'];
    const left = await run(...args);
    expect(JSON.parse(left.stdout).runs[0].measures).toEqual({ RR: 0.75 });
    expect(left.stderr).toMatch(/b\.run has no results for 1 of 3 judged queries; .*\(--complete counts/);
    const counted = await run(...args, '--complete');
    expect(JSON.parse(counted.stdout).runs[0].measures).toEqual({ RR: 0.5 });
    expect(counted.stderr).toBe('');
  });

  it('adds baselines to the report and tests the other runs against them', async () => {
    const [q, a, b] = writeFiles({ qrels, 'a.run': runA, 'b.run': runB });
    const { stdout } = await run(
      ...words`--qrels ${q} ${b} --baseline ${a} --format json --complete --per-query`,
    );
    const { runs } = JSON.parse(stdout);
    expect(runs.map((each: { run: string }) => each.run)).toEqual([b, a]);
    expect(Object.keys(runs[0].perQuery)).toEqual(['1', '2', '3']);
    expect(
      runs[0].tests.map((each: { baseline: string; measure: string }) => [each.baseline, each.measure]),
    ).toEqual([
      [a, 'P@20'],
      [a, 'nDCG@20'],
      [a, 'AP@100'],
      [a, 'AP@1000'],
    ]);
    expect(runs[0].tests[0]).toMatchObject({ test: 't', p: expect.any(Number), star: '' });
    // Naming the baseline as a run as well changes nothing but the order.
    const again = await run(
      ...words`--qrels ${q} ${a} ${b} --baseline ${a} --format json --complete --per-query`,
    );
    expect(JSON.parse(again.stdout).runs).toEqual([runs[1], runs[0]]);
  });

  it('passes relevance level, depth, test and correction on', async () => {
    const [q, a, b] = writeFiles({ qrels, 'a.run': runA, 'b.run': runB });
    const level = await run(...words`--qrels ${q} ${a} --measures NumRel --relevance-level 2 --format trec`);
    expect(level.stdout).toBe('num_rel               \tall\t1\n');
    const depth = await run(...words`--qrels ${q} ${a} --measures NumRet --depth 1 --format trec`);
    expect(depth.stdout).toBe('num_ret               \tall\t3\n');
    const options = words`--test wilcoxon --correction holm --measures RR --format json`;
    const tested = await run('--qrels', q, b, '--baseline', a, ...options);
    expect(JSON.parse(tested.stdout).runs[0].tests[0]).toMatchObject({
      test: 'wilcoxon',
      correction: 'holm',
    });
  });

  it('agrees with either version of trec_eval where they differ', async () => {
    const near = '1 Q0 a 1 1.00000000001 T\n1 Q0 A 2 1.00000000002 T\n';
    const [q, r] = writeFiles({ qrels: '1 0 a 0\n1 0 A 1\n', run: near });
    const at = async (version: string) =>
      (await run(...words`--qrels ${q} ${r} --measures RR --format trec --trec-eval ${version}`)).stdout;
    // As doubles A is ahead; as 32-bit floats they tie, and "a" comes before "A" in descending order.
    expect(await at('10')).toMatch(/1\.0000\n$/);
    expect(await at('9')).toMatch(/0\.5000\n$/);
  });

  it('writes to a file with --out', async () => {
    const [q, a] = writeFiles({ qrels, 'a.run': runA });
    const out = join(q, '..', 'table.csv');
    const { stdout } = await run(...words`--qrels ${q} ${a} --format csv --out ${out} --measures RR`);
    expect(stdout).toBe('');
    expect(readFileSync(out, 'utf8')).toBe(`run,query,RR\n${a},all,1\n`);
  });

  it('explains every measure with --measures list', async () => {
    const { code, stdout } = await run('--measures', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^P@k +precision: /);
    expect(stdout).toMatch(/^nDCG\[@k\] +normalised/m);
  });
});

describe('bert-qe evaluate refuses', () => {
  it.each([
    ['no qrels', ['a.run'], /needs --qrels FILE/],
    ['no run', ['--qrels', 'qrels'], /needs at least one RUN/],
    ['an unknown measure', ['--qrels', 'qrels', 'a.run', '--measures', 'nCDG@5'], /Unknown measure "nCDG@5"/],
    ['stdin twice', ['--qrels', '-', '-'], /Only one of --qrels and the runs can come from stdin/],
    ['a correction of Tukey', words`--qrels q r --test tukey --correction holm`, /leave out --correction/],
    ['an unknown format', ['--qrels', 'q', 'r', '--format', 'xml'], /--format must be one of table, json/],
    ['a depth of zero', ['--qrels', 'q', 'r', '--depth', '0'], /--depth must be a whole number at least 1/],
    [
      'more baselines than letters',
      ['--qrels', 'q', 'r', ...Array.from({ length: 27 }, (_, i) => ['--baseline', `${i}`]).flat()],
      /26 times at most/,
    ],
    ['a missing file', ['--qrels', '/nowhere/qrels', 'r'], /\/nowhere\/qrels/],
  ])('%s', async (_, args, message) => {
    expect(refusal(await run(...args))).toMatch(message);
  });

  it.each([
    [
      'qrels with a missing column',
      { qrels: '1 0 a 1\n2 0 a\n', run: runA },
      /qrels:2: 4 columns were expected, not 3/,
    ],
    [
      'qrels with a bad level',
      { qrels: '1 0 a high\n', run: runA },
      /qrels:1: the relevance level "high" is not/,
    ],
    [
      'a run with a missing column',
      { qrels, run: '1 Q0 a 1 2.0\n' },
      /run:1: 6 columns were expected, not 5/,
    ],
    [
      'a run with a bad score',
      { qrels, run: '1 Q0 a 1 best A\n' },
      /run:1: the score "best" in column 5 is not a number/,
    ],
    [
      'a document ranked twice',
      { qrels, run: `${runA}1 Q0 a 9 0 A\n` },
      /run:6: document "a" is listed twice/,
    ],
    [
      'a document judged twice',
      { qrels: `${qrels}1 0 a 0\n`, run: runA },
      /qrels:6: document "a" is judged twice/,
    ],
    [
      'a run of other queries',
      { qrels, run: '301 Q0 a 1 1 A\n' },
      /No query of .*run is in the qrels: .*"301".*"1"/,
    ],
    ['an empty run', { qrels, run: '' }, /run has no results/],
  ])('%s', async (_, files, message) => {
    const [q, r] = writeFiles(files);
    expect(refusal(await run('--qrels', q, r))).toMatch(message);
  });
});

it('bert-qe evaluate stops when interrupted', async () => {
  const [q, a] = writeFiles({ qrels, 'a.run': runA });
  const { options, positionals } = parseArguments(['--qrels', q, a], evaluateCommand.options);
  const io = { stdout: new PassThrough(), stderr: new PassThrough(), signal: AbortSignal.abort() };
  await expect(evaluateCommand.run({ options: options as never, positionals, io })).rejects.toMatchObject({
    code: 'aborted',
    exitCode: 130,
  });
});
