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
