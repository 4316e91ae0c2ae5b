/** Raw outputs of the classifier, `labels` values per pair. */
export interface Logits {
  readonly labels: number;
  readonly values: Float32Array;
}

/** P(relevant) per pair: the sigmoid of a single label, or the second of two labels' softmax. */
export function probabilities({ labels, values }: Logits): Float32Array {
  const result = new Float32Array(values.length / labels);
  for (let i = 0; i < result.length; i++) {
    // softmax(l)[1] = sigmoid(l[1] - l[0])
    const logit = labels === 1 ? values[i] : values[2 * i + 1] - values[2 * i];
    result[i] = 1 / (1 + Math.exp(-logit));
  }
  return result;
}
