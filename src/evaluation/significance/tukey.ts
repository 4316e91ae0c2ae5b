import { usageError } from '../../common/errors.js';
import { studentisedRangeTail } from './distributions.js';
import { moments, type Sample } from './paired.js';

/**
 * Tukey's honestly significant differences between several systems over the same queries, whose effect is removed before
 * the error is estimated, as paired tests do: `p[i][j]` is the p-value of the difference between systems i and j, all
 * pairs compared at once.
 */
export function tukeyHsd(systems: readonly Sample[]): number[][] {
  const groups = systems.length;
  const n = systems[0]?.length ?? 0;
  if (groups < 2 || systems.some(({ length }) => length !== n)) {
    throw usageError("Tukey's HSD compares two or more systems over the same queries.");
  }
  const means = systems.map((values) => moments(values).mean);
  const df = (n - 1) * (groups - 1);
  const standardError = Math.sqrt(blockedResidual(systems, means) / df / n);
  const p = systems.map(() => systems.map(() => 1));
  for (let i = 0; i < groups; i++) {
    for (let j = 0; j < i; j++) {
      // Systems that agree everywhere have no error; equal means are never significant.
      const q = means[i] === means[j] ? 0 : Math.abs(means[i] - means[j]) / standardError;
      p[i][j] = p[j][i] = studentisedRangeTail(q, groups, df);
    }
  }
  return p;
}

/** Sum of squares after removal of the means of systems and queries. */
function blockedResidual(systems: readonly Sample[], means: readonly number[]): number {
  const grandMean = moments(means).mean;
  let squares = 0;
  for (let query = 0; query < systems[0].length; query++) {
    const queryMean = moments(systems.map((values) => values[query])).mean;
    systems.forEach((values, i) => {
      squares += (values[query] - queryMean - means[i] + grandMean) ** 2;
    });
  }
  return squares;
}
