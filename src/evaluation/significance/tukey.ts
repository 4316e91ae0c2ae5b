import { usageError } from '../../common/errors.js';
import { studentisedRangeTail } from './distributions.js';
import { moments, type Sample } from './paired.js';

export interface TukeyOptions {
  /**
   * `blocked` (the default) removes the effect of queries before the error is estimated, as paired tests do;
   * `one-way` treats the systems' values as unrelated samples, as scipy and statsmodels do.
   */
  readonly design?: 'blocked' | 'one-way';
}

export interface TukeyResult {
  readonly df: number;
  /** `p[i][j]`: the p-value of the difference between systems i and j, all pairs compared at once. */
  readonly p: readonly (readonly number[])[];
  /** Mean differences in standard errors. */
  readonly statistic: readonly (readonly number[])[];
}

/** Tukey's honestly significant differences between several systems over the same queries. */
export function tukeyHsd(systems: readonly Sample[], options: TukeyOptions = {}): TukeyResult {
  const groups = systems.length;
  const n = systems[0]?.length ?? 0;
  if (groups < 2 || systems.some(({ length }) => length !== n)) {
    throw usageError("Tukey's HSD compares two or more systems over the same queries.");
  }
  const means = systems.map((values) => moments(values).mean);
  const blocked = (options.design ?? 'blocked') === 'blocked';
  const df = blocked ? (n - 1) * (groups - 1) : groups * (n - 1);
  const squares = blocked ? blockedResidual(systems, means) : withinResidual(systems);
  const standardError = Math.sqrt(squares / df / n);
  const table = (): number[][] => systems.map(() => systems.map(() => 0));
  const statistic = table();
  const p = table();
  for (let i = 0; i < groups; i++) {
    p[i][i] = 1;
    for (let j = 0; j < i; j++) {
      // Systems that agree everywhere have no error; equal means are never significant.
      const q = means[i] === means[j] ? 0 : Math.abs(means[i] - means[j]) / standardError;
      statistic[i][j] = statistic[j][i] = q;
      p[i][j] = p[j][i] = studentisedRangeTail(q, groups, df);
    }
  }
  return { df, p, statistic };
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

/** Sum of squares around each system's own mean. */
function withinResidual(systems: readonly Sample[]): number {
  return systems.reduce((sum, values) => sum + moments(values).deviation ** 2 * (values.length - 1), 0);
}
