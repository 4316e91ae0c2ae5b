/** Raw outputs of the classifier, `labels` values per pair. */
export interface Logits {
  readonly labels: number;
  readonly values: Float32Array;
}

/** ln(p/(1-p)) per pair, p being P(relevant): the single label's logit, or the difference of two. */
export function logOdds({ labels, values }: Logits): Float64Array {
  const odds = new Float64Array(values.length / labels);
  for (let i = 0; i < odds.length; i++) {
    // softmax(l)[1] = sigmoid(l[1] - l[0])
    odds[i] = labels === 1 ? values[i] : values[2 * i + 1] - values[2 * i];
  }
  return odds;
}

/** P(relevant) per pair: the sigmoid of a single label, or the second of two labels' softmax. */
export function probabilities(logits: Logits): Float32Array {
  return Float32Array.from(logOdds(logits), sigmoid);
}

/** The probability whose log-odds are `logit`. */
export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
