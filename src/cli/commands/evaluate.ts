import { readQrels, readRun, type Qrels } from '../../collection/index.js';
import { throwIfAborted, usageError } from '../../common/errors.js';
import {
  compareRuns,
  DEFAULT_MEASURES,
  describeMeasures,
  evaluate,
  formatReport,
  parseMeasures,
  reportFormats,
  testNames,
  type Evaluation,
  type EvaluationOptions,
  type EvaluationReport,
  type ReportedRun,
} from '../../evaluation/index.js';
import { standardStream, writeOutput } from '../../common/output.js';
import { defineCommand, guessReporter, hasColours, type Io } from '../command.js';
import { tableText } from '../format.js';
import { choice, flag, integer, text } from '../options.js';

export const evaluateCommand = defineCommand({
  name: 'evaluate',
  summary: 'Measure runs against relevance judgements as trec_eval does, and test their differences.',
  positionals: [{ name: 'RUN', help: 'TREC run files, .gz too; - is stdin', optional: true, multiple: true }],
  options: {
    qrels: text('FILE', 'relevance judgements: TREC, or BEIR (file or folder)'),
    measures: text(
      'LIST',
      'comma-separated: AP, P(rel=2)@20, ndcg_cut_20, …; "official" for what trec_eval prints; "list" explains all',
      { default: DEFAULT_MEASURES.join(',') },
    ),
    baseline: text('RUN', 'test the other runs against this one', { multiple: true }),
    test: choice(testNames, 'significance test, paired and two-tailed', { default: 't' }),
    correction: choice(['none', 'holm', 'bonferroni'], 'for several comparisons of a measure at once', {
      default: 'none',
    }),
    'per-query': flag('every query too, not only the means'),
    format: choice(reportFormats, 'how to write it', { default: 'table' }),
    json: flag('the same as --format json'),
    complete: flag('judged queries without results count as zero (trec_eval -c)'),
    'relevance-level': integer('from which level a document is relevant (trec_eval -l)', {
      min: 0,
      default: 1,
    }),
    depth: integer('documents per query that count (trec_eval -M; default 1000, or the deepest cutoff)', {
      min: 1,
      value: 'N',
    }),
    'trec-eval': choice(
      ['9', '10'],
      'which version to agree with: 9 compares scores as 32-bit floats and rounds IPrec differently',
      { default: '10' },
    ),
    out: text('FILE', 'where to write; - is stdout', { default: '-' }),
  },
  examples: [
    'bert-qe evaluate --qrels qrels.txt bm25.run bert-qe.run --baseline dph-kl.run',
    'bert-qe evaluate --qrels qrels.txt --measures official --format trec --per-query bm25.run',
    'bert-qe evaluate --qrels qrels.txt --baseline a.run --correction holm --format latex b.run c.run d.run',
  ],
  async run({ options, positionals, io }) {
    if (options.measures === 'list') {
      io.stdout.write(tableText(describeMeasures()));
      return;
    }
    if (options.qrels === undefined) {
      throw usageError('evaluate needs --qrels FILE, the relevance judgements.');
    }
    if (positionals.length === 0) {
      throw usageError('evaluate needs at least one RUN, a file to evaluate.');
    }
    if (options.test === 'tukey' && options.correction !== 'none') {
      throw usageError("Tukey's HSD corrects for all comparisons already; leave out --correction.");
    }
    const baselines = unique(options.baseline);
    const files = unique([...positionals, ...baselines]);
    checkInputs([options.qrels, ...files], baselines);
    const settings: EvaluationOptions = {
      measures: parseMeasures(options.measures),
      complete: options.complete,
      relevanceLevel: options.relevanceLevel,
      trecEval: options.trecEval === '9' ? 9 : 10,
      depth: options.depth,
    };

    const qrels = await readQrels(options.qrels, { onGuess: guessReporter(io) });
    const runs: ReportedRun[] = [];
    for (const file of files) {
      throwIfAborted(io.signal);
      const evaluation = await evaluateFile(file, qrels, settings, io);
      runs.push({ file, evaluation, isBaseline: baselines.includes(file) });
    }
    const report = reportOn(runs, options);
    const colour = options.out === standardStream && hasColours(io.stdout);
    const shown = formatReport(report, options.json ? 'json' : options.format, { colour });
    await writeOutput(options.out, shown, io.stdout);
  },
});

/** Reads and evaluates a run, of which only the values of the measures are kept. */
async function evaluateFile(
  file: string,
  qrels: Qrels,
  options: EvaluationOptions,
  io: Io,
): Promise<Evaluation> {
  const evaluation = evaluate(await readRun(file), qrels, { ...options, label: file });
  if (evaluation.missingQueries > 0 && !options.complete) {
    io.stderr.write(
      `bert-qe: ${file} has no results for ${evaluation.missingQueries} of ${qrels.size} judged queries; ` +
        'they are left out of its means (--complete counts them as zero).\n',
    );
  }
  return evaluation;
}

/** The report on runs, of which the others are compared with the baselines. */
export function reportOn(
  runs: readonly ReportedRun[],
  { test, correction, perQuery }: Pick<EvaluationReport, 'test' | 'correction' | 'perQuery'>,
): EvaluationReport {
  const named = (isBaseline: boolean) =>
    runs
      .filter((run) => run.isBaseline === isBaseline)
      .map(({ file, evaluation }) => ({ name: file, evaluation }));
  const comparisons = compareRuns(named(false), named(true), { test, correction });
  return { measures: runs[0].evaluation.measures, runs, comparisons, test, correction, perQuery };
}

function unique(files: readonly string[]): string[] {
  return [...new Set(files)];
}

/** Each baseline has a letter. */
const MAX_BASELINES = 26;

function checkInputs(files: readonly string[], baselines: readonly string[]): void {
  if (files.filter((file) => file === standardStream).length > 1) {
    throw usageError('Only one of --qrels and the runs can come from stdin (-).');
  }
  if (baselines.length > MAX_BASELINES) {
    throw usageError(`--baseline can be given ${MAX_BASELINES} times at most: each has a letter.`);
  }
}
