import { continuedFraction } from './continued-fraction.js';
import { logBeta } from './gamma.js';

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
 * y = 1 - x are given because neither can be had from an x that is nearly 0 or 1.
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
  // Halving to the last bit: 60 evaluations, and nothing that could diverge.
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentTwoTailed(middle, df) > tail) low = middle;
    else high = middle;
  }
  return high;
}
