import { BertQeError } from '../../common/errors.js';

/** Values of two systems for the same queries, in the same order. */
export type Sample = ArrayLike<number>;

/** a - b, query by query. */
export function differences(a: Sample, b: Sample): Float64Array {
  if (a.length !== b.length) {
    throw new BertQeError(
      'usage',
      `A paired test needs the same queries on both sides: ${a.length} values were given against ${b.length}.`,
    );
  }
  return Float64Array.from({ length: a.length }, (_, i) => a[i] - b[i]);
}

/** Mean and standard deviation of a sample. */
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

/** The result of a paired test. */
export interface TestResult {
  readonly statistic: number;
  /**
   * The two-tailed probability of a difference at least as large if the systems were the same; NaN where the test
   * cannot be made (a single query).
   */
  readonly p: number;
}
