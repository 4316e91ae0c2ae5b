import type { JudgedRanking } from '../judged-ranking.js';

/** Where trec_eval's versions disagree, whose numbers to give. */
export type TrecEvalVersion = 9 | 10;

/** How per-query values become the one number of a run. */
export type Summary = 'mean' | 'geometric-mean' | 'sum';

/** What every evaluated query has in common. */
export interface MeasureContext {
  /** From which level a document is relevant, unless the measure says so itself (trec_eval's `-l`). */
  readonly relevanceLevel: number;
  readonly trecEval: TrecEvalVersion;
}

/** A measure ready to be computed, such as `P(rel=2)@20`. */
export interface Measure {
  /** Printable, and parsed back to the same measure. */
  readonly name: string;
  /** What trec_eval calls it; our own name where trec_eval has no such measure. */
  readonly trecName: string;
  /** The rank it stops looking at, where it has one. */
  readonly cutoff?: number;
  readonly summary: Summary;
  /** Counts are printed without decimals. */
  readonly isCount: boolean;
  /** trec_eval prints some measures for the whole run only. */
  readonly printedPerQuery: boolean;
  value(ranking: JudgedRanking, context: MeasureContext): number;
}

/** The numbers a family's formula is computed with. */
export interface MeasureArguments {
  /** The lowest relevant level. */
  readonly rel: number;
  /** What follows `@`: a rank, or for `IPrec` a recall; infinite where nothing does. */
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
  /** Whether `@` follows, and what it counts. */
  readonly at: 'none' | 'rank' | 'optional-rank' | 'recall';
  readonly parameters: readonly ParameterName[];
  /** trec_eval's name without and with (`_20` is appended) a cutoff. */
  readonly trec: { readonly plain?: string; readonly cut?: string };
  /** `mean` where not given. */
  readonly summary?: Summary;
  readonly isCount?: true;
  readonly printedPerQuery?: false;
  value(ranking: JudgedRanking, args: MeasureArguments): number;
}
