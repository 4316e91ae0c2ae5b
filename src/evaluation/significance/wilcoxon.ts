import { normalTwoTailed } from './distributions.js';
import { differences, type Sample, type TestResult } from './paired.js';

export interface WilcoxonOptions {
  /**
   * `exact` counts all 2^n assignments of signs, ties included; `normal` approximates their distribution.
   * `auto` chooses as scipy does: exact up to 50 queries where no two differences tie and none is zero, up to
   * 13 otherwise.
   */
  readonly method?: 'auto' | 'exact' | 'normal';
  /** Moves the statistic half a rank towards its mean before the normal approximation (false). */
  readonly continuity?: boolean;
}

/** The Wilcoxon signed-rank test, two-tailed; zero differences are dropped ("wilcox"). */
export function wilcoxonSignedRank(a: Sample, b: Sample, options: WilcoxonOptions = {}): TestResult {
  const { method = 'auto', continuity = false } = options;
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

  const distinct = tieSizes.length === all.length;
  const exact = method === 'exact' || (method === 'auto' && all.length <= (distinct ? 50 : 13));
  if (exact) return { statistic, p: exactTail(doubledRanks, Math.min(positive, total - positive)) };
  return { statistic, p: normalTail(positive / 2, nonZero.length, tieSizes, continuity) };
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

function normalTail(positive: number, n: number, tieSizes: readonly number[], continuity: boolean): number {
  const mean = (n * (n + 1)) / 4;
  const tieCorrection = tieSizes.reduce((sum, size) => sum + (size ** 3 - size), 0) / 2;
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1) - tieCorrection) / 24);
  const shift = continuity ? 0.5 * Math.sign(positive - mean) : 0;
  return normalTwoTailed((positive - mean - shift) / deviation);
}
