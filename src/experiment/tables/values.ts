import {
  correctionTitles,
  formatFixed,
  parseMeasure,
  STAR_LEGEND,
  measureCell,
  type Measure,
} from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { noValue, type Cell } from '../../common/table/table.js';

/** A cell whose text is its value. */
export function plainCell(value: string | number): Cell {
  return { text: String(value), value };
}

/** The names of systems with published values that are none of these systems. */
export function publishedOnly(all: Iterable<Results>, own: readonly string[]): string[] {
  const names = Array.from(all, ({ experiment }) => Object.keys(experiment.published?.systems ?? {}));
  return [...new Set(names.flat())].filter((name) => !own.includes(name));
}

/** The measures of a system, with stars, and beside each the published number where there is one. */
export function measureCells(system: SystemResult, results: Results): Cell[] {
  return results.measures.flatMap((measure) => {
    const cell = starredCell(system, measure, results);
    return results.experiment.published ? [cell, publishedCell(system.name, measure.name, results)] : [cell];
  });
}

/** A system's value with its stars. */
export function starredCell({ name, evaluation }: SystemResult, measure: Measure, results: Results): Cell {
  const cell = measureCell(measure, evaluation.summary.get(measure.name)!);
  const marks = marksOf(name, measure.name, results);
  return marks ? { ...cell, marks } : cell;
}

export function measureColumns({ measures, experiment }: Results): string[] {
  return measures.flatMap(({ name }) => (experiment.published ? [name, `${name} (published)`] : [name]));
}

/** Columns of {@link measureCells} with the system's own values; `before` columns precede them. */
export function ownColumns({ measures, experiment }: Results, before = 0): number[] {
  return measures.map((_, i) => before + (experiment.published ? 2 * i : i));
}

/** Stars against each baseline, with its letter where there are several; an arrow where the system is worse. */
function marksOf(
  run: string,
  measure: string,
  { comparisons, against }: Pick<Results, 'comparisons' | 'against'>,
): string {
  return against
    .map(({ name }, i) => {
      const found = comparisons.find(
        (each) => each.run === run && each.baseline === name && each.measure === measure,
      );
      if (!found?.star) return '';
      const letter = against.length > 1 ? ` ${letterOf(i)}` : '';
      return `${letter}${found.difference < 0 ? '↓' : ''}${found.star}`;
    })
    .join('');
}

export function publishedCell(system: string, measure: string, { experiment }: Results): Cell {
  const ofSystem = Object.entries(experiment.published?.systems[system] ?? {});
  // The file may spell a measure as trec_eval does.
  const found = ofSystem.find(([name]) => parseMeasure(name).name === measure)?.[1];
  if (found === undefined) return noValue;
  const [, number, marks] = /^([\d.]+)(\**)$/.exec(String(found))!;
  const value = Number(number);
  return { text: formatFixed(value, 4), value, quoted: true, ...(marks ? { marks } : {}) };
}

export const testTitles = {
  t: 'paired two-tailed t-test',
  wilcoxon: 'Wilcoxon signed-rank test',
  randomisation: 'randomisation test',
  tukey: "Tukey's HSD",
} as const;

/** The meaning of the stars, with the number of queries. */
export function significanceNote({ against, experiment, collection }: Results): string {
  return starNote({ against, experiment }, ` over ${collection.queries} queries`);
}

/** The meaning of the stars; `over` names what the test was made over. */
export function starNote(
  { against, experiment }: Pick<Results, 'against' | 'experiment'>,
  over = '',
): string {
  const { test, correction } = experiment.significance;
  const whom = against.map(({ name }, i) => (against.length > 1 ? `${name} (${letterOf(i)})` : name));
  const corrected = correction === 'none' ? '' : `, ${correctionTitles[correction]} correction`;
  return `Against ${whom.join(', ')}: ${STAR_LEGEND} (${testTitles[test]}${over}${corrected}); ↓ where worse.`;
}

export function publishedNote({ experiment }: Results): string[] {
  return experiment.published ? [`Published: ${experiment.published.source}.`] : [];
}

function letterOf(i: number): string {
  return String.fromCodePoint(97 + i);
}

/** The difference of a system from a baseline, query by query. */
export interface Gains {
  readonly system: string;
  readonly baseline: string;
  readonly measure: string;
  readonly byQuery: readonly { readonly query: string; readonly gain: number }[];
}

/** The gains by the measure that was tuned for, over the first of the baselines that systems are tested against. */
export function gainsOf({ name, evaluation }: SystemResult, { experiment, against }: Results): Gains {
  const { name: measure } = parseMeasure(experiment.tuning.measure);
  const [baseline] = against;
  const [ours, theirs] = [evaluation, baseline.evaluation].map(({ perQuery }) => perQuery.get(measure)!);
  return {
    system: name,
    baseline: baseline.name,
    measure,
    byQuery: evaluation.queries.map((query, i) => ({ query, gain: ours[i] - theirs[i] })),
  };
}
