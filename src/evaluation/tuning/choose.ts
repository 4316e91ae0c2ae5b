import { parseMeasure } from '../measures/parse.js';
import type { QueryRanker, Validation } from './validation.js';

/** What makes one setting better than another. */
export interface Objective {
  /** Decides (`nDCG@20`). */
  readonly measure?: string;
  /** Decides between settings whose measure is equal (`AP@100`). */
  readonly tieBreak?: string;
  /** Differences of the measure up to this are no difference (1e-6, as in the authors' code). */
  readonly tolerance?: number;
}

/** The setting that was chosen, and what it is worth on the validation queries. */
export interface Choice<P> {
  readonly parameters: P;
  readonly value: number;
  readonly tieBreakValue: number;
}

/**
 * Grid search: the best measure wins; among those within the tolerance of the best, the better tie-break; among
 * equals of that too, the one that comes first in the grid.
 */
export function choose<P>(
  validation: Validation,
  grid: readonly P[],
  rankerOf: (parameters: P) => QueryRanker,
  { measure = 'nDCG@20', tieBreak = 'AP@100', tolerance = 1e-6 }: Objective = {},
): Choice<P> {
  const [first, second] = [parseMeasure(measure), parseMeasure(tieBreak)];
  const tried = grid.map((parameters): Choice<P> => {
    const { summary } = validation.evaluate(rankerOf(parameters), [first, second]);
    return { parameters, value: summary.get(first.name)!, tieBreakValue: summary.get(second.name)! };
  });
  const best = Math.max(...tried.map(({ value }) => value));
  return tried
    .filter(({ value }) => value >= best - tolerance)
    .reduce((winner, other) => (other.tieBreakValue > winner.tieBreakValue ? other : winner));
}
