/** How rel(q,d), rel(C,d) and the initial score become one number. */
export interface Combination {
  /** Eq. 5: the share of rel(C,d), between 0 and 1. */
  readonly alpha: number;
  /** The share of ln M(q,d) against the initial score, between 0 and 1. */
  readonly beta: number;
}

/** Eq. 5: M(q,d) = (1-α)·rel(q,d) + α·rel(C,d). */
export function combine(queryScore: number, expansionScore: number, alpha: number): number {
  return (1 - alpha) * queryScore + alpha * expansionScore;
}

/**
 * Interpolation with the initial ranking (the paper's appendix): β·ln M(q,d) + (1-β)·I(q,d). Without an initial
 * score β is 1.
 */
export function interpolate(combined: number, initial: number | undefined, beta: number): number {
  if (initial === undefined) return logarithm(combined);
  return beta * logarithm(combined) + (1 - beta) * initial;
}

/**
 * ln M, finite for every probability. A model may give exactly 0 (its softmax underflows), and ln 0 = -∞ would
 * make 0·-∞ = NaN at β = 0 and erase the initial score elsewhere. So 0 counts as the smallest positive double:
 * below every other M, and documents at 0 stay in the order of their initial scores.
 */
function logarithm(combined: number): number {
  return Math.log(Math.max(combined, Number.MIN_VALUE));
}
