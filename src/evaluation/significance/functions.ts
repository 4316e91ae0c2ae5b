const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);

/** The x from which on seven terms of the Stirling series are exact to the last bit of a double. */
const STIRLING_FROM = 10;

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  // Γ(x) = Γ(x + 1) / x: climb to where the Stirling series is exact.
  let product = 1;
  let y = x;
  for (; y < STIRLING_FROM; y++) product *= y;
  return (y - 0.5) * Math.log(y) - y + HALF_LOG_TWO_PI + stirlingRemainder(y) - Math.log(product);
}

/** ln B(a, b) = ln Γ(a) + ln Γ(b) - ln Γ(a + b), without the cancellation of that formula for large a or b. */
export function logBeta(a: number, b: number): number {
  const [small, large] = a < b ? [a, b] : [b, a];
  if (large < STIRLING_FROM) return logGamma(a) + logGamma(b) - logGamma(a + b);
  const sum = a + b;
  // ln Γ(large) - ln Γ(sum), without the common part of Stirling's leading terms.
  const ratio =
    (0.5 - sum) * Math.log1p(small / large) -
    small * Math.log(large) +
    small +
    stirlingRemainder(large) -
    stirlingRemainder(sum);
  return logGamma(small) + ratio;
}

/** The remainder of Stirling's formula: Σ B(2k) / (2k (2k-1) x^(2k-1)). */
function stirlingRemainder(x: number): number {
  const s = 1 / (x * x);
  return (
    (1 / 12 -
      s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * (691 / 360360 - s / 156)))))) /
    x
  );
}

const TINY = 1e-300;

/**
 * b₀ + a₁/(b₁ + a₂/(b₂ + …)) by the modified Lentz method, until a term changes nothing.
 * `term(i)` gives [aᵢ, bᵢ] for i ≥ 1.
 */
export function continuedFraction(b0: number, term: (i: number) => readonly [number, number]): number {
  let value = b0 || TINY;
  let c = value;
  let d = 0;
  for (let i = 1; i <= 100_000; i++) {
    const [a, b] = term(i);
    d = 1 / (b + a * d || TINY);
    c = b + a / c || TINY;
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-16) return value;
  }
  return value;
}
