import type { Qrels, Run } from '../collection/index.js';
import { type BertQeError, inputError } from '../common/errors.js';
import { JudgedRanking } from './judged-ranking.js';
import { DEFAULT_MEASURES } from './measures/catalogue.js';
import type { Measure, MeasureContext, Summary, TrecEvalVersion } from './measures/measure.js';
import { measuresOf } from './measures/parse.js';
import { compareUtf8 } from '../common/order.js';

/** Options of an evaluation; the defaults are those of trec_eval. */
export interface EvaluationOptions {
  /** Measures, or their names (`P@20`, `nDCG@20`, `AP@100` and `AP@1000`). */
  readonly measures?: readonly (Measure | string)[];
  /** The lowest relevant level (1); trec_eval's `-l`. */
  readonly relevanceLevel?: number;
  /** Documents per query that count (1000, or the deepest cutoff among the measures); trec_eval's `-M`. */
  readonly depth?: number | undefined;
  /** Queries in the qrels that the run lacks count as zero (false: they are left out); trec_eval's `-c`. */
  readonly complete?: boolean;
  /**
   * The version of trec_eval to agree with where they differ (10): version 9 compares scores as 32-bit floats and
   * rounds the recall points of `IPrec` differently.
   */
  readonly trecEval?: TrecEvalVersion;
  /** The name of the run in messages ("the run"). */
  readonly label?: string;
}

/** The values of a run's measures, per query and over all queries. */
export interface Evaluation {
  readonly measures: readonly Measure[];
  /** The evaluated queries, in byte order of their ids. */
  readonly queries: readonly string[];
  /** Measure name → one value per query, in the order of `queries`. */
  readonly perQuery: ReadonlyMap<string, Float64Array>;
  /** Measure name → trec_eval's "all" line. */
  readonly summary: ReadonlyMap<string, number>;
  /** Number of queries in the qrels for which the run has no results. */
  readonly missingQueries: number;
}

const DEFAULT_DEPTH = 1000;

/** Evaluates a run as trec_eval does. */
export function evaluate(run: Run, qrels: Qrels, options: EvaluationOptions = {}): Evaluation {
  const measures = measuresOf(options.measures ?? DEFAULT_MEASURES);
  const { relevanceLevel = 1, complete = false, trecEval = 10, label = 'the run' } = options;
  const depth = options.depth ?? Math.max(DEFAULT_DEPTH, ...measures.map(({ cutoff }) => cutoff ?? 0));
  const context: MeasureContext = { relevanceLevel, trecEval };

  const found = [...qrels.keys()].filter((query) => run.has(query));
  if (found.length === 0) throw disjoint(run, qrels, label);
  const queries = (complete ? [...qrels.keys()] : found).sort(compareUtf8);

  const columns = measures.map(() => new Float64Array(queries.length));
  queries.forEach((query, row) => {
    const ranking = JudgedRanking.of(run.get(query) ?? [], qrels.get(query)!, {
      depth,
      singlePrecision: trecEval === 9,
      query: `${query} of ${label}`,
    });
    measures.forEach((measure, column) => {
      columns[column][row] = measure.value(ranking, context);
    });
  });
  return { measures, queries, ...tabulate(measures, columns), missingQueries: qrels.size - found.length };
}

/** The values of each measure by name, and their summary. */
function tabulate(
  measures: readonly Measure[],
  columns: readonly Float64Array[],
): Pick<Evaluation, 'perQuery' | 'summary'> {
  return {
    perQuery: new Map(measures.map(({ name }, column) => [name, columns[column]])),
    summary: new Map(measures.map((measure, i) => [measure.name, summarise(columns[i], measure.summary)])),
  };
}

/** The queries of several collections as one evaluation; every query counts the same, and carries its collection's name. */
export function poolEvaluations(parts: ReadonlyMap<string, Evaluation>): Evaluation {
  const all = [...parts.values()];
  const { measures } = all[0];
  const columns = measures.map(({ name }) =>
    Float64Array.from(all.flatMap(({ perQuery }) => [...perQuery.get(name)!])),
  );
  return {
    measures,
    queries: [...parts].flatMap(([name, { queries }]) => queries.map((query) => `${name} ${query}`)),
    missingQueries: all.reduce((count, { missingQueries }) => count + missingQueries, 0),
    ...tabulate(measures, columns),
  };
}

function disjoint(run: Run, qrels: Qrels, label: string): BertQeError {
  if (run.size === 0) return inputError(`${label} has no results to evaluate.`);
  if (qrels.size === 0) return inputError('The qrels hold no judgements to evaluate with.');
  return inputError(
    `No query of ${label} is in the qrels: its ids look like ${examples(run)}, those of the qrels like ` +
      `${examples(qrels)}; give the qrels of the same queries.`,
  );
}

function examples(byQuery: ReadonlyMap<string, unknown>): string {
  const ids = [...byQuery.keys()].slice(0, 3).map((id) => `"${id}"`);
  return ids.join(', ');
}

/** trec_eval's smallest factor of a geometric mean, which a single zero would make zero. */
const SMALLEST_FACTOR = 0.00001;

function summarise(values: Float64Array, summary: Summary): number {
  switch (summary) {
    case 'sum':
      return sum(values);
    case 'mean':
      return sum(values) / values.length;
    case 'geometric-mean':
      return Math.exp(sum(values.map((value) => Math.log(Math.max(value, SMALLEST_FACTOR)))) / values.length);
  }
}

/** The sum from first to last, as trec_eval adds: another order may differ in the last digit. */
function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
