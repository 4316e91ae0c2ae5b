import { continuedFraction } from './continued-fraction.js';

const SQRT_PI = Math.sqrt(Math.PI);
const SQRT_TWO_PI = Math.sqrt(2 * Math.PI);

export function normalDensity(z: number): number {
  return Math.exp(-0.5 * z * z) / SQRT_TWO_PI;
}

/** P(Z ≤ z). */
export function normalCdf(z: number): number {
  return 0.5 * complementaryError(-z / Math.SQRT2);
}

/** P(|Z| ≥ |z|). */
export function normalTwoTailed(z: number): number {
  return complementaryError(Math.abs(z) / Math.SQRT2);
}

/** erfc(x) = 1 - erf(x), accurate in relative terms far into the right tail. */
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
