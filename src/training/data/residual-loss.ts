import { combine, type Combination, expansionScore, interpolate } from '../../expansion/index.js';
import type { Example } from '../examples/query-examples.js';
import type { Feedback, PhaseOneDocument } from '../examples/feedback.js';

/** A candidate with the parts of the final score that training does not change. */
export type ResidualExample = PhaseOneDocument & Pick<Example, 'relevant'>;

/** Some candidates of a query; the loss scores each of them with every chunk. */
export interface ResidualGroup {
  readonly chunks: Feedback['chunks'];
  readonly examples: readonly ResidualExample[];
}

/**
 * The softmax cross-entropy of the final score over a query's candidates. Phase three learns to correct the ranking by
 * the first stage and phase one:
 *
 *     loss = −1/R · Σ_{d relevant} log softmax(F)_d,   F_d = β·ln M_d + (1−β)·I(q,d),
 *     M_d = (1−α)·rel(q,d) + α·Σᵢ wᵢ·rel(cᵢ,d)                        (Eq. 4 and 5)
 *
 * Only rel(cᵢ,d) = σ(zᵢ_d) changes; a model's calibration is part of its last layer and so of zᵢ_d. By the chain rule
 *
 *     ∂loss/∂zᵢ_d = (softmax(F)_d − [d relevant]/R) · β/M_d · α·wᵢ · rel(cᵢ,d)·(1 − rel(cᵢ,d))
 *
 * which is the gradient with respect to the log-odds of every rel(c,d).
 *
 * @param scores rel(c,d), chunk by chunk, each with all examples, as the gradient too.
 */
export function residualLoss(
  { chunks, examples }: ResidualGroup,
  scores: ArrayLike<number>,
  { alpha, beta }: Combination,
): { readonly loss: number; readonly gradient: Float64Array } {
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
    const target = one.relevant ? 1 / relevant : 0;
    loss -= target * logShares[d];
    // M is at least α·w·rel(c,d), so the quotients below are bounded; where M is 0, so is the gradient.
    const perScore = combined[d] > 0 ? ((Math.exp(logShares[d]) - target) * beta * alpha) / combined[d] : 0;
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
