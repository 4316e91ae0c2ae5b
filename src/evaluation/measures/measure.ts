import type { JudgedRanking } from '../judged-ranking.js';

/** The version of trec_eval to agree with where they differ. */
export type TrecEvalVersion = 9 | 10;

/** The aggregation of per-query values into the value of a run. */
export type Summary = 'mean' | 'geometric-mean' | 'sum';

/** Settings that all queries of an evaluation share. */
export interface MeasureContext {
  /** The lowest relevant level, unless the measure names its own (trec_eval's `-l`). */
  readonly relevanceLevel: number;
  readonly trecEval: TrecEvalVersion;
}

/** A measure ready to be computed, such as `P(rel=2)@20`. */
export interface Measure {
  /** The printed name, which parses to the same measure. */
  readonly name: string;
  /** trec_eval's name; our own where trec_eval has no such measure. */
  readonly trecName: string;
  /** The last rank that it reads, where it has a cutoff. */
  readonly cutoff?: number;
  readonly summary: Summary;
  /** Counts are printed without decimals. */
  readonly isCount: boolean;
  /** False for measures that trec_eval prints for the whole run only. */
  readonly printedPerQuery: boolean;
  value(ranking: JudgedRanking, context: MeasureContext): number;
}

export interface MeasureArguments {
  readonly rel: number;
  /** The number after `@`: a rank, or a recall for `IPrec`; infinite where there is none. */
  readonly at: number;
  readonly dcg: 'log2' | 'exp-log2';
  readonly beta: number;
  readonly trecEval: TrecEvalVersion;
}

export type ParameterName = 'rel' | 'dcg' | 'beta';

/** All measures of one name: `P` stands for P@5, P(rel=2)@20, … */
export interface MeasureFamily {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly help: string;
  /** The kind of number after `@`; none where it is absent. */
  readonly at?: 'rank' | 'optional-rank' | 'recall';
  /** (`rel`.) */
  readonly parameters?: readonly ParameterName[];
  /** trec_eval's name without and with (`_20` is appended) a cutoff. */
  readonly trec: { readonly plain?: string; readonly cut?: string };
  /** `mean` where not given. */
  readonly summary?: Summary;
  readonly isCount?: true;
  readonly printedPerQuery?: false;
  value(ranking: JudgedRanking, args: MeasureArguments): number;
}
