/** softmax(x)ᵢ = e^xᵢ / Σ e^xⱼ; the largest is subtracted first, which changes nothing but the overflow. */
export function softmax(values: readonly number[]): number[] {
  const largest = Math.max(...values);
  const exponentials = values.map((value) => Math.exp(value - largest));
  const sum = exponentials.reduce((total, value) => total + value, 0);
  return exponentials.map((value) => value / sum);
}
