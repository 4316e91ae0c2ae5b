import type { Fold, Qrels, Ranking } from '../collection/index.js';
import { inputError } from '../common/errors.js';
import { evaluate, type Evaluation } from './evaluate.js';
import type { Measure } from './measures/measure.js';
import { parseMeasure } from './measures/parse.js';
import { formatFixed } from './report/trec.js';

/** Ranks one query under some parameters; called for queries of the validation partition only. */
export type QueryRanker = (query: string) => Ranking;

/**
 * The validation partition of a fold: the only data that tuning sees. It holds the judgements of validation queries
 * alone and asks for rankings query by query, so that tuning cannot reach a test query.
 */
export class Validation {
  private constructor(private readonly qrels: Qrels) {}

  /** The judged validation queries of a fold; `label` names the fold in messages. */
  static of({ valid }: Pick<Fold, 'valid'>, qrels: Qrels, label = 'the fold'): Validation {
    const judged = new Map<string, ReadonlyMap<string, number>>();
    for (const query of valid) {
      const judgements = qrels.get(query);
      if (judgements) judged.set(query, judgements);
    }
    if (judged.size === 0) {
      throw inputError(
        `${label}: none of its ${valid.length} validation queries is judged, so nothing can be tuned on them; ` +
          'give folds and judgements of the same queries.',
      );
    }
    return new Validation(judged);
  }

  get queries(): readonly string[] {
    return [...this.qrels.keys()];
  }

  /** Evaluates a ranker on these queries; a query without results counts as zero. */
  evaluate(ranker: QueryRanker, measures: readonly (Measure | string)[]): Evaluation {
    const run = new Map(this.queries.map((query) => [query, ranker(query)]));
    return evaluate(run, this.qrels, { measures, complete: true, label: 'a validation ranking' });
  }
}

/** The criterion by which settings are compared. */
export interface Objective {
  /** The measure to maximise (`nDCG@20`). */
  readonly measure?: string;
  /** The measure that decides between equals (`AP@100`). */
  readonly tieBreak?: string;
  /** Values of the measure that differ by no more than this are equal (1e-6, as in the authors' code). */
  readonly tolerance?: number;
  /** Decimals to which values are rounded before they are compared: trec_eval prints four (not rounded). */
  readonly decimals?: number | undefined;
}

/** The chosen setting with its values on the validation queries. */
export interface Choice<P> {
  readonly parameters: P;
  readonly value: number;
  readonly tieBreakValue: number;
}

/**
 * Grid search for the best measure. Among settings within the tolerance of the best, the tie-break decides; among
 * equals by that too, the first in the grid.
 */
export function choose<P>(
  validation: Validation,
  grid: readonly P[],
  rankerOf: (parameters: P) => QueryRanker,
  { measure = 'nDCG@20', tieBreak = 'AP@100', tolerance = 1e-6, decimals }: Objective = {},
): Choice<P> {
  const [first, second] = [parseMeasure(measure), parseMeasure(tieBreak)];
  const tried = grid.map((parameters): Choice<P> => {
    const { summary } = validation.evaluate(rankerOf(parameters), [first, second]);
    const valueOf = ({ name }: Measure): number => {
      const value = summary.get(name)!;
      return decimals === undefined ? value : Number(formatFixed(value, decimals));
    };
    return { parameters, value: valueOf(first), tieBreakValue: valueOf(second) };
  });
  const best = Math.max(...tried.map(({ value }) => value));
  return tried
    .filter(({ value }) => value >= best - tolerance)
    .reduce((winner, other) => (other.tieBreakValue > winner.tieBreakValue ? other : winner));
}

/** α and β of the paper: the share of rel(C,d) in M, and the share of ln M against the initial score. */
export interface Interpolation {
  readonly alpha: number;
  readonly beta: number;
}

/** Rankings of one query under given parameters. */
export interface InterpolatedRanker {
  /** The ranking by M(q,d) alone, before interpolation with the initial ranking. */
  combined(query: string, alpha: number): Ranking;
  interpolated(query: string, parameters: Interpolation): Ranking;
}

/** `in-turn`: α before interpolation, then β, as published. `joint`: every pair, by the final ranking. */
export const tuningModes = ['in-turn', 'joint'] as const;
export type TuningMode = (typeof tuningModes)[number];

export interface TuningOptions extends Objective {
  /** (`in-turn`.) */
  readonly mode?: TuningMode;
  /** (0.1 to 1.0.) With one value, α is not tuned. */
  readonly alphas?: readonly number[];
  /** (0.1 to 0.9.) */
  readonly betas?: readonly number[];
}

/** The published grids: 0.1 to 1.0 for α, 0.1 to 0.9 for β. */
export const publishedAlphas: readonly number[] = tenths(10);
export const publishedBetas: readonly number[] = tenths(9);

export function tuneInterpolation(
  validation: Validation,
  ranker: InterpolatedRanker,
  { mode = 'in-turn', alphas = publishedAlphas, betas = publishedBetas, ...objective }: TuningOptions = {},
): Choice<Interpolation> {
  const final = (parameters: Interpolation) => (query: string) => ranker.interpolated(query, parameters);
  const pairsOf = (some: readonly number[]): Interpolation[] =>
    some.flatMap((alpha) => betas.map((beta) => ({ alpha, beta })));
  if (mode === 'joint') return choose(validation, pairsOf(alphas), final, objective);
  const combined = (alpha: number) => (query: string) => ranker.combined(query, alpha);
  const alpha = alphas.length === 1 ? alphas[0] : choose(validation, alphas, combined, objective).parameters;
  return choose(validation, pairsOf([alpha]), final, objective);
}

/** 0.1, 0.2, …; divided rather than added up, so that 0.3 is exact. */
function tenths(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i + 1) / 10);
}
