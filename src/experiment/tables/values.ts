import {
  correctionNote,
  formatFixed,
  letterOf,
  marksOf,
  parseMeasure,
  STAR_LEGEND,
  summaryCell,
  testTitles,
  type Comparison,
  type Measure,
} from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { noValue, type Cell } from '../../common/table/table.js';

/** A cell whose text is its value. */
export function plainCell(value: string | number): Cell {
  return { text: String(value), value };
}

/** Groups of systems: first stages and given runs, re-rankers among the baselines, variants and ablations. */
export function groupsOf({ baselines, variants, ablations }: Results): (readonly SystemResult[])[] {
  return [
    baselines.filter(({ reranking }) => !reranking),
    baselines.filter(({ reranking }) => reranking),
    variants,
    ablations?.systems ?? [],
  ];
}

export function rerankersOf(results: Results): SystemResult[] {
  return groupsOf(results)
    .flat()
    .filter(({ reranking }) => reranking);
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

/** A system's value with its stars; an arrow where it is worse. */
export function starredCell({ name, evaluation }: SystemResult, measure: Measure, results: Results): Cell {
  const cell = summaryCell(measure, evaluation);
  const { comparisons, against } = results;
  const baselines = against.map((baseline) => baseline.name);
  const marks = marksOf(name, measure, comparisons, baselines, arrowOf);
  return marks ? { ...cell, marks } : cell;
}

function arrowOf({ difference }: Comparison): string {
  return difference < 0 ? '↓' : '';
}

export function measureColumns({ measures, experiment }: Results): string[] {
  return measures.flatMap(({ name }) => (experiment.published ? [name, `${name} (published)`] : [name]));
}

/** Columns of {@link measureCells} with the system's own values; `before` columns precede them. */
export function ownColumns({ measures, experiment }: Results, before = 0): number[] {
  return measures.map((_, i) => before + (experiment.published ? 2 * i : i));
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

/** The notes of a table with measures and stars. */
export function measureNotes(results: Results): string[] {
  return [starNote(results, ` over ${results.collection.queries} queries`), ...publishedNote(results)];
}

/** The meaning of the stars; `over` names what the test was made over. */
export function starNote({ against, experiment }: Results, over = ''): string {
  const { test, correction } = experiment.significance;
  const whom = against.map(({ name }, i) => (against.length > 1 ? `${name} (${letterOf(i)})` : name));
  const tested = `${testTitles[test]}${over}${correctionNote(correction)}`;
  return `Against ${whom.join(', ')}: ${STAR_LEGEND} (${tested}); ↓ where worse.`;
}

export function publishedNote({ experiment }: Results): string[] {
  return experiment.published ? [`Published: ${experiment.published.source}.`] : [];
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
