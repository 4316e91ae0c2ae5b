import { logGamma } from './gamma.js';
import { normalCdf, normalDensity } from './normal.js';

/**
 * P(Q ≥ q) for the studentised range of `groups` means with `df` degrees of freedom for the error: Tukey's HSD.
 *
 *   P(Q ≤ q) = ∫ f(s) · W(q s) ds,   W(w) = k ∫ φ(z) [Φ(z) - Φ(z - w)]^(k-1) dz
 *
 * with s distributed as χ/√df. Both integrands are analytic and vanish fast at both ends, where the plain
 * trapezoidal rule converges exponentially.
 */
export function studentisedRangeTail(q: number, groups: number, df: number): number {
  if (Number.isNaN(q) || !(df > 0) || groups < 2) return Number.NaN;
  if (q <= 0) return 1;
  if (q === Infinity) return 0;
  // In u = ln s the density is f(s)·s: nearly normal around 0 with standard deviation 1/√(2 df).
  const logConstant = Math.LN2 + 0.5 * df * Math.log(0.5 * df) - logGamma(0.5 * df);
  const logDensity = (u: number): number => logConstant + df * (u - 0.5 * Math.exp(2 * u));
  const step = Math.min(0.1, 0.35 / Math.sqrt(2 * df));
  let tail = 0;
  for (const direction of [1, -1]) {
    for (let i = direction > 0 ? 0 : 1; ; i++) {
      const u = direction * i * step;
      const density = Math.exp(logDensity(u));
      if (density < 1e-18) break;
      tail += density * rangeTail(q * Math.exp(u), groups);
    }
  }
  return Math.min(1, tail * step);
}

const Z_STEP = 0.125;
const Z_END = 9;
const grid = Array.from({ length: (2 * Z_END) / Z_STEP + 1 }, (_, i) => {
  const z = -Z_END + i * Z_STEP;
  return { z, cdf: normalCdf(z), density: normalDensity(z) };
});

/**
 * 1 - W(w): the range of `groups` standard normal values exceeds w. Because k ∫ φ Φ^(k-1) = 1 the difference
 * can be taken under the integral, which keeps small probabilities exact.
 */
function rangeTail(w: number, groups: number): number {
  let sum = 0;
  for (const { z, cdf, density } of grid) {
    const below = Math.min(1, normalCdf(z - w) / cdf);
    const outside = -Math.expm1((groups - 1) * Math.log1p(-below));
    sum += density * cdf ** (groups - 1) * outside;
  }
  return groups * sum * Z_STEP;
}
