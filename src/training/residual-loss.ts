import { combine, type Combination, expansionScore, interpolate } from '../expansion/index.js';
import type { ResidualGroup } from './examples/index.js';

/** The loss of a group, and its gradient with respect to the log-odds of every rel(c,d). */
export interface ResidualLoss {
  readonly loss: number;
  /** Chunk after chunk, each against all examples. */
  readonly gradient: Float64Array;
}

/**
 * The softmax cross-entropy of the final score over a query's candidates, so that phase three learns what phase one and
 * the first stage leave to be learned:
 *
 *     loss = −1/R · Σ_{d relevant} log softmax(F)_d,   F_d = β·ln M_d + (1−β)·I(q,d),
 *     M_d = (1−α)·rel(q,d) + α·Σᵢ wᵢ·rel(cᵢ,d)                        (Eq. 4 and 5)
 *
 * Only rel(cᵢ,d) = σ(zᵢ_d) is to change; σ is where a model's calibration is at work, since that is part of its last
 * layer. With the softmax' own gradient, the chain is
 *
 *     ∂loss/∂zᵢ_d = (softmax(F)_d − [d relevant]/R) · β/M_d · α·wᵢ · rel(cᵢ,d)·(1 − rel(cᵢ,d))
 *
 * @param scores rel(c,d): chunk after chunk, each against all examples.
 */
export function residualLoss(
  { chunks, examples }: ResidualGroup,
  scores: ArrayLike<number>,
  { alpha, beta }: Combination,
): ResidualLoss {
  const weights = chunks.map(({ weight }) => weight);
  const combined = examples.map(({ queryScore }, d) => {
    const ofDocument = weights.map((_, chunk) => scores[chunk * examples.length + d]);
    return combine(queryScore, expansionScore(weights, ofDocument), alpha);
  });
  const final = examples.map(({ initial }, d) => interpolate(combined[d], initial, beta));
  const logShares = logSoftmax(final);
  const relevant = examples.filter((one) => one.relevant).length;
  const gradient = new Float64Array(chunks.length * examples.length);
  let loss = 0;
  examples.forEach((one, d) => {
    const wanted = one.relevant ? 1 / relevant : 0;
    loss -= wanted * logShares[d];
    // M is never below α·w·rel(c,d), which keeps the quotients below bounded; where all is 0 there is nothing to pass on.
    const perScore = combined[d] > 0 ? ((Math.exp(logShares[d]) - wanted) * beta * alpha) / combined[d] : 0;
    weights.forEach((weight, chunk) => {
      const place = chunk * examples.length + d;
      gradient[place] = perScore * weight * scores[place] * (1 - scores[place]);
    });
  });
  return { loss, gradient };
}

function logSoftmax(values: readonly number[]): number[] {
  const largest = Math.max(...values);
  const sum = values.reduce((total, value) => total + Math.exp(value - largest), 0);
  return values.map((value) => value - largest - Math.log(sum));
}
