import { normalTwoTailed } from './distributions.js';
import { differences, type Sample, type TestResult } from './paired.js';

/** Differences up to which the distribution of the statistic is exact, as in scipy; fewer where some tie or are zero. */
const EXACT_UP_TO = 50;
const EXACT_WITH_TIES_UP_TO = 13;

/**
 * The Wilcoxon signed-rank test, two-tailed; zero differences are dropped ("wilcox"). For few queries all 2^n assignments
 * of signs are counted, ties included; for more, their distribution is taken for normal.
 */
export function wilcoxonSignedRank(a: Sample, b: Sample): TestResult {
  const all = differences(a, b);
  const nonZero = all.filter((difference) => difference !== 0);
  if (nonZero.length === 0) return { statistic: 0, p: all.length === 0 ? Number.NaN : 1 };
  const { doubledRanks, tieSizes } = rankMagnitudes(nonZero);
  let positive = 0;
  let total = 0;
  doubledRanks.forEach((rank, i) => {
    total += rank;
    if (nonZero[i] > 0) positive += rank;
  });
  const statistic = Math.min(positive, total - positive) / 2;

  const isDistinct = tieSizes.length === all.length;
  if (all.length <= (isDistinct ? EXACT_UP_TO : EXACT_WITH_TIES_UP_TO)) {
    return { statistic, p: exactTail(doubledRanks, Math.min(positive, total - positive)) };
  }
  return { statistic, p: normalTail(positive / 2, nonZero.length, tieSizes) };
}

/** Ranks of |d| from 1, tied values sharing their mean rank; doubled, so that they are whole numbers. */
function rankMagnitudes(values: Float64Array): { doubledRanks: Float64Array; tieSizes: number[] } {
  const magnitudes = values.map(Math.abs);
  const order = Array.from(magnitudes.keys()).sort((i, j) => magnitudes[i] - magnitudes[j]);
  const doubledRanks = new Float64Array(values.length);
  const tieSizes: number[] = [];
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && magnitudes[order[end]] === magnitudes[order[start]]) end++;
    for (let i = start; i < end; i++) doubledRanks[order[i]] = start + 1 + end;
    tieSizes.push(end - start);
    start = end;
  }
  return { doubledRanks, tieSizes };
}

/** Twice the probability that random signs give a rank sum of at most `sum`, over all reachable sums. */
function exactTail(doubledRanks: Float64Array, sum: number): number {
  const chance = new Float64Array(sum + 1);
  chance[0] = 1;
  for (const rank of doubledRanks) {
    // Each rank is in the sum or not, half the time each; from above, so that none is taken twice.
    for (let s = sum; s >= 0; s--) chance[s] = 0.5 * (chance[s] + (s >= rank ? chance[s - rank] : 0));
  }
  return Math.min(1, 2 * chance.reduce((total, part) => total + part, 0));
}

function normalTail(positive: number, n: number, tieSizes: readonly number[]): number {
  const mean = (n * (n + 1)) / 4;
  const tieCorrection = tieSizes.reduce((sum, size) => sum + (size ** 3 - size), 0) / 2;
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1) - tieCorrection) / 24);
  return normalTwoTailed((positive - mean) / deviation);
}
