import { usageError } from '../../common/errors.js';
import { studentTwoTailed, studentTwoTailedQuantile } from './distributions.js';

/**
 * Student's paired t-test, two-tailed, the test of the paper. Systems that never differ have p = 1
 * (scipy gives NaN); systems that always differ by the same amount have p = 0.
 */
export function pairedTTest(a: Sample, b: Sample): TestResult & { readonly df: number } {
  const { n, mean, deviation } = moments(differences(a, b));
  const df = n - 1;
  if (mean === 0 && deviation === 0) return { statistic: 0, p: 1, df };
  const statistic = mean / (deviation / Math.sqrt(n));
  return { statistic, p: studentTwoTailed(statistic, df), df };
}

/** The mean difference of paired samples, and how sure and how large it is. */
export interface PairedDifference {
  readonly difference: number;
  /** 95 % confidence interval of the difference, for roughly normal differences. */
  readonly interval: readonly [number, number];
  /** Cohen's d (d_z): the difference in standard deviations of the single differences. */
  readonly effectSize: number;
}

export function pairedDifference(a: Sample, b: Sample): PairedDifference {
  const { n, mean, deviation } = moments(differences(a, b));
  const margin = n < 2 ? Number.NaN : studentTwoTailedQuantile(1 - 0.95, n - 1) * (deviation / Math.sqrt(n));
  return {
    difference: mean,
    interval: [mean - margin, mean + margin],
    effectSize: mean === 0 ? 0 : mean / deviation,
  };
}

/** Values of two systems for the same queries, in the same order. */
export type Sample = ArrayLike<number>;

export function differences(a: Sample, b: Sample): Float64Array {
  if (a.length !== b.length) {
    throw usageError(
      `A paired test needs the same queries on both sides: ${a.length} values were given against ${b.length}.`,
    );
  }
  return Float64Array.from({ length: a.length }, (_, i) => a[i] - b[i]);
}

export interface Moments {
  readonly n: number;
  readonly mean: number;
  /** Standard deviation of the sample (n - 1 in the denominator); NaN for fewer than two values. */
  readonly deviation: number;
}

export function moments(values: Sample): Moments {
  const n = values.length;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i];
  const mean = sum / n;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += (values[i] - mean) ** 2;
  return { n, mean, deviation: Math.sqrt(squares / (n - 1)) };
}

export interface TestResult {
  readonly statistic: number;
  /**
   * The two-tailed probability of a difference at least as large if the systems were the same; NaN where the test
   * cannot be made (a single query).
   */
  readonly p: number;
}
