/** The parameters that make one score of rel(q,d), rel(C,d) and the initial score. */
export interface Combination {
  /** Share of rel(C,d) in Eq. 5, between 0 and 1. */
  readonly alpha: number;
  /** Share of ln M(q,d) against the initial score, between 0 and 1. */
  readonly beta: number;
}

/** softmax(x)ᵢ = e^xᵢ / Σ e^xⱼ. The largest x is subtracted first, so that no exponential overflows. */
export function softmax(values: readonly number[]): number[] {
  const largest = Math.max(...values);
  const exponentials = values.map((value) => Math.exp(value - largest));
  const sum = exponentials.reduce((total, value) => total + value, 0);
  return exponentials.map((value) => value / sum);
}

/**
 * Eq. 4: rel(C,d) = Σ softmax(rel(q,c))·rel(c,d). `unknown` stands for every score that is not known. The sum is
 * the same for every value of it, in the same order, so 0 and 1 give bounds that hold to the last bit.
 */
export function expansionScore(
  weights: readonly number[],
  chunkScores: ArrayLike<number | undefined>,
  unknown = Number.NaN,
): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i] * (chunkScores[i] ?? unknown);
  return sum;
}

/** Eq. 5: M(q,d) = (1-α)·rel(q,d) + α·rel(C,d). Without chunks, where rel(C,d) is null, M is rel(q,d). */
export function combine(queryScore: number, expansionScore: number | null, alpha: number): number {
  return expansionScore === null ? queryScore : (1 - alpha) * queryScore + alpha * expansionScore;
}

/** Interpolation with the initial ranking (appendix): β·ln M(q,d) + (1-β)·I(q,d); ln M without an initial score. */
export function interpolate(combined: number, initial: number | undefined, beta: number): number {
  if (initial === undefined) return logarithm(combined);
  return beta * logarithm(combined) + (1 - beta) * initial;
}

/** The M that gives a final score: the inverse of {@link interpolate}, up to rounding. */
export function combinedToReach(final: number, initial: number | undefined, beta: number): number {
  if (initial === undefined) return Math.exp(final);
  if (beta === 0) return final <= initial ? 0 : Number.POSITIVE_INFINITY;
  return Math.exp((final - (1 - beta) * initial) / beta);
}

/**
 * ln M, finite for every probability. A softmax may underflow to 0, and ln 0 = -∞ would give NaN at β = 0 and hide
 * the initial score elsewhere. So 0 counts as the smallest positive double: such documents come last, in the order
 * of their initial scores.
 */
function logarithm(combined: number): number {
  return Math.log(Math.max(combined, Number.MIN_VALUE));
}
