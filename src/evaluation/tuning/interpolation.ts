import type { Ranking } from '../../collection/index.js';
import { choose, type Choice, type Objective } from './choose.js';
import type { Validation } from './validation.js';

/** α and β of the paper: the share of rel(C,d) in M, and the share of ln M against the initial score. */
export interface Interpolation {
  readonly alpha: number;
  readonly beta: number;
}

/** Rankings of one query under given parameters. */
export interface InterpolatedRanker {
  /** By M(q,d) alone, before the initial ranking comes in. */
  combined(query: string, alpha: number): Ranking;
  /** By the final score. */
  interpolated(query: string, parameters: Interpolation): Ranking;
}

/** `in-turn`: α before interpolation, then β, as published. `joint`: every pair, by the final ranking. */
export const tuningModes = ['in-turn', 'joint'] as const;
export type TuningMode = (typeof tuningModes)[number];

export interface TuningOptions extends Objective {
  /** (`in-turn`.) */
  readonly mode?: TuningMode;
  /** (0.1 to 1.0.) One value: α is not tuned. */
  readonly alphas?: readonly number[];
  /** (0.1 to 0.9.) */
  readonly betas?: readonly number[];
}

/** The published grids: 0.1 to 1.0 for α, 0.1 to 0.9 for β. */
export const publishedAlphas: readonly number[] = tenths(10);
export const publishedBetas: readonly number[] = tenths(9);

/** Chooses α and β on a validation partition (REFERENCE §2). */
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

/** 0.1, 0.2, …: divided, not added up, so that 0.3 is 0.3. */
function tenths(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i + 1) / 10);
}
