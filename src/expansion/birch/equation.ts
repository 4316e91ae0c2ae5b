/** The weights of Birch's score. */
export interface BirchWeights {
  /** Share of the document's initial score against its sentences, between 0 and 1. */
  readonly alpha: number;
  /** Weight of the second-best sentence, between 0 and 1; the best one has 1. */
  readonly beta: number;
  /** Weight of the third-best sentence, between 0 and 1. */
  readonly gamma: number;
}

/** Sentences that count: 3S in the paper's names. */
export const countedSentences = 3;

/**
 * Birch (3S): α·I(q,d) + (1-α)·(S₁ + β·S₂ + γ·S₃), where S₁ ≥ S₂ ≥ S₃ are the scores of the best sentences. Sentences
 * that a document lacks add nothing. Without an initial score it is the sum over the sentences.
 */
export function birchScore(
  best: readonly number[],
  initial: number | undefined,
  { alpha, beta, gamma }: BirchWeights,
): number {
  const sum = (best[0] ?? 0) + beta * (best[1] ?? 0) + gamma * (best[2] ?? 0);
  return initial === undefined ? sum : alpha * initial + (1 - alpha) * sum;
}
