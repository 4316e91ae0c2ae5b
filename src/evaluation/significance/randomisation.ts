import { differences, type Sample, type TestResult } from './paired.js';
import { randomWords } from './random.js';

export interface RandomisationOptions {
  /** Random assignments drawn when there are too many to try all (100 000). */
  readonly samples?: number;
  readonly seed?: number;
}

/** Number of differing queries up to which all assignments of signs are tried. */
const EXACT_UP_TO = 20;

/**
 * Fisher's paired randomisation test, two-tailed: if the systems were the same, the sign of each query's difference
 * would be random. The statistic is the mean difference.
 */
export function randomisationTest(a: Sample, b: Sample, options: RandomisationOptions = {}): TestResult {
  const { samples = 100_000, seed = 1 } = options;
  const all = differences(a, b);
  if (all.length === 0) return { statistic: Number.NaN, p: Number.NaN };
  const moved = all.filter((difference) => difference !== 0);
  const observed = moved.reduce((sum, difference) => sum + difference, 0);
  const statistic = observed / all.length;
  const magnitude = moved.reduce((sum, difference) => sum + Math.abs(difference), 0);
  // Sums of the same terms in another order differ in their last digits and must still count as equal.
  const threshold = Math.abs(observed) - 1e-12 * magnitude;
  if (moved.length <= EXACT_UP_TO) {
    return { statistic, p: countExtremes(moved, threshold) / 2 ** moved.length };
  }
  // The observed assignment is one of the sample (Phipson and Smyth 2010), so p is never zero.
  return { statistic, p: (1 + sampleExtremes(moved, threshold, samples, seed)) / (1 + samples) };
}

/** Number of signed sums, of all 2^n, that are at least as far from zero as the threshold. */
function countExtremes(values: Float64Array, threshold: number): number {
  const count = (i: number, sum: number): number => {
    if (i === values.length) return Math.abs(sum) >= threshold ? 1 : 0;
    return count(i + 1, sum + values[i]) + count(i + 1, sum - values[i]);
  };
  return count(0, 0);
}

function sampleExtremes(values: Float64Array, threshold: number, samples: number, seed: number): number {
  const next = randomWords(seed);
  let extremes = 0;
  for (let sample = 0; sample < samples; sample++) {
    let sum = 0;
    let bits = 0;
    for (let i = 0; i < values.length; i++) {
      if (i % 32 === 0) bits = next();
      sum += bits & 1 ? values[i] : -values[i];
      bits >>>= 1;
    }
    if (Math.abs(sum) >= threshold) extremes++;
  }
  return extremes;
}
