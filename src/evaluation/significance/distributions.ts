import { continuedFraction, logBeta, logGamma } from './functions.js';

const SQRT_PI = Math.sqrt(Math.PI);
const SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

/** P(Z ≤ z). */
export function normalCdf(z: number): number {
  return 0.5 * complementaryError(-z / Math.SQRT2);
}

/** P(|Z| ≥ |z|). */
export function normalTwoTailed(z: number): number {
  return complementaryError(Math.abs(z) / Math.SQRT2);
}

/** erfc(x) = 1 - erf(x), with a small relative error far into the right tail. */
function complementaryError(x: number): number {
  if (x < 0) return 2 - complementaryError(-x);
  if (Number.isNaN(x)) return Number.NaN;
  if (x > 27.3) return 0;
  const gaussian = Math.exp(-x * x);
  // Series near zero, continued fraction in the tail: where they meet both need about thirty steps.
  if (x < 1.8) return 1 - (2 / SQRT_PI) * gaussian * errorSeries(x);
  return gaussian / (SQRT_PI * continuedFraction(x, (i) => [i / 2, x]));
}

/** Σ 2^n x^(2n+1) / (1·3·5…(2n+1)): all terms of one sign, so nothing cancels. */
function errorSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return sum;
}

/** P(|T| ≥ |t|) for Student's t with `df` degrees of freedom. */
export function studentTwoTailed(t: number, df: number): number {
  if (Number.isNaN(t) || !(df > 0)) return Number.NaN;
  const ratio = (t * t) / df;
  if (ratio === Infinity) return 0;
  // I_x(df/2, 1/2) at x = 1 / (1 + t²/df); the fraction converges fast only on its side of the mode.
  const x = 1 / (1 + ratio);
  const logX = -Math.log1p(ratio);
  const logY = Math.log(ratio) + logX;
  const a = df / 2;
  if (x < (a + 1) / (a + 2.5)) return regularisedBeta(a, 0.5, x, logX, logY);
  return 1 - regularisedBeta(0.5, a, ratio * x, logY, logX);
}

/**
 * I_x(a, b), the regularised incomplete beta function, for x below the mode. The logarithms of x and of
 * y = 1 - x are given because they cannot be computed from an x that is nearly 0 or 1.
 */
function regularisedBeta(a: number, b: number, x: number, logX: number, logY: number): number {
  if (x === 0) return 0;
  const front = Math.exp(a * logX + b * logY - logBeta(a, b)) / a;
  const fraction = continuedFraction(1, (i) => {
    const m = i >> 1;
    const top =
      i % 2 === 0
        ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
        : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    return [top, 1];
  });
  return front / fraction;
}

/** The t with P(|T| ≥ t) = `tail`: the half-width of a two-sided confidence interval in standard errors. */
export function studentTwoTailedQuantile(tail: number, df: number): number {
  let low = 0;
  let high = 1;
  while (studentTwoTailed(high, df) > tail) {
    low = high;
    high *= 2;
  }
  // Bisection to the last bit: 60 evaluations, and no divergence.
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentTwoTailed(middle, df) > tail) low = middle;
    else high = middle;
  }
  return high;
}

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
  return { z, cdf: normalCdf(z), density: Math.exp(-0.5 * z * z) / SQRT_TWO_PI };
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
