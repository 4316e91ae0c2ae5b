import { studentTwoTailed, studentTwoTailedQuantile } from './distributions.js';
import { differences, moments, type Moments, type Sample, type TestResult } from './paired.js';

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

/** Confidence interval (0.95) of the mean difference, for roughly normal differences. */
export function confidenceInterval(a: Sample, b: Sample, confidence = 0.95): readonly [number, number] {
  const { n, mean, deviation } = moments(differences(a, b));
  if (n < 2) return [Number.NaN, Number.NaN];
  const margin = studentTwoTailedQuantile(1 - confidence, n - 1) * (deviation / Math.sqrt(n));
  return [mean - margin, mean + margin];
}

/** Cohen's d of paired samples (d_z): the mean difference in standard deviations of the differences. */
export function cohensD(a: Sample, b: Sample): number {
  const { mean, deviation }: Moments = moments(differences(a, b));
  return mean === 0 ? 0 : mean / deviation;
}
