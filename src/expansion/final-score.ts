import type { Candidate } from './candidate.js';
import { combine, interpolate, type Combination } from './combine.js';
import { expansionScore } from './phase-three.js';

/** Before phase two: one chunk of weight 1, whose score nobody knows, stands for those to come. */
const pending: readonly number[] = [1];

/**
 * The final score of a candidate, and what it can still become. Every rel lies in [0,1], the weights are not
 * negative, and floating-point products, sums and roundings are monotone; so the same arithmetic with 0 and with 1
 * in place of what is not known gives bounds of M that hold exactly. ln is the one step that is not proven monotone
 * to the last bit, so comparisons of bounds leave {@link slack}.
 */
export class FinalScore {
  readonly #alpha: number;

  constructor(
    private readonly combination: Combination,
    /** Of the selected chunks; none where there is nothing to expand with, and M is then rel(q,d). */
    readonly weights: readonly number[] = pending,
  ) {
    this.#alpha = weights.length === 0 ? 0 : combination.alpha;
  }

  get alpha(): number {
    return this.#alpha;
  }

  /** M(q,d), Eq. 5, with `unknown` in place of every score that is not known. */
  combined(candidate: Candidate, unknown = Number.NaN): number {
    return combine(
      candidate.queryScore ?? unknown,
      expansionScore(this.weights, candidate.chunkScores, unknown),
      this.#alpha,
    );
  }

  /** The final score, with `unknown` in place of every score that is not known. */
  of(candidate: Candidate, unknown = Number.NaN): number {
    return interpolate(this.combined(candidate, unknown), candidate.initial, this.combination.beta);
  }

  lower(candidate: Candidate): number {
    return this.of(candidate, 0);
  }

  upper(candidate: Candidate): number {
    return this.of(candidate, 1);
  }

  /** The M that a candidate needs to reach a final score: for planning, not for proofs. */
  combinedToReach(final: number, { initial }: Candidate): number {
    const beta = initial === undefined ? 1 : this.combination.beta;
    if (beta === 0) return final <= initial! ? 0 : Number.POSITIVE_INFINITY;
    return Math.exp((final - (1 - beta) * (initial ?? 0)) / beta);
  }
}

/** How far apart two bounds must be before one is taken to be below the other; none at ±∞. */
export function slack(score: number): number {
  return Number.isFinite(score) ? 1e-12 * (1 + Math.abs(score)) : 0;
}
