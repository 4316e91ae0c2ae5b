import { measureCell, type Measure } from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { markBest, noValue, type Cell, type Row, type Table } from '../../common/table/table.js';
import { differenceTables, type Together } from './difference-tables.js';
import {
  groupsOf,
  publishedCell,
  publishedNote,
  publishedOnly,
  rerankersOf,
  starNote,
  starredCell,
} from './values.js';

/** The results of a study, by name of the collection; most systems are the same in all of them. */
export type StudyResults = ReadonlyMap<string, Results>;

/** The tables of a study: systems and collections for every measure, what each part of the method adds, and costs. */
export function studyTables(study: StudyResults, together?: Together): Table[] {
  const [first] = study.values();
  return [
    ...first.measures.map((measure) => measureTable(measure, study)),
    ...differenceTables(study, together),
    costTable(study),
    ...secondsTables(study),
  ];
}

function measureTable(measure: Measure, study: StudyResults): Table {
  const [first] = study.values();
  const all = [...study.values()];
  const rowOf = (name: string): Row => {
    const values = all.map((results) => valueCell(name, measure, results));
    const cells = all.flatMap((results, i) =>
      results.experiment.published ? [values[i], publishedCell(name, measure.name, results)] : [values[i]],
    );
    return { label: name, cells: [...cells, meanOf(measure, values)] };
  };
  const columns = [...study].flatMap(([name, { experiment }]) =>
    experiment.published ? [name, `${name} (published)`] : [name],
  );
  const own = groupsOfAll(study);
  const groups = [...own, publishedOnly(all, own.flat())].filter((group) => group.length > 0);
  return {
    id: measure.name.replaceAll(/[^\w]+/g, '-').toLowerCase(),
    title: measure.name,
    columns: ['Model', ...columns, 'Mean'],
    groups: markBest(
      groups.map((group) => group.map(rowOf)),
      [...columns, 'Mean'].flatMap((name, i) => (name.endsWith(' (published)') ? [] : [i])),
    ),
    notes: [starNote(first), ...new Set(all.flatMap(publishedNote))],
  };
}

/** The names of the systems of all collections, in the groups of {@link groupsOf}. */
function groupsOfAll(study: StudyResults): string[][] {
  const groups = [...study.values()].map(groupsOf);
  return groups[0].map((_, i) => [...new Set(groups.flatMap((each) => each[i].map(({ name }) => name)))]);
}

/** The value of a system in a collection, with its stars; none where the collection does not have the system. */
function valueCell(name: string, measure: Measure, results: Results): Cell {
  const system = systemOf(name, results);
  return system ? starredCell(system, measure, results) : noValue;
}

function systemOf(name: string, results: Results): SystemResult | undefined {
  return groupsOf(results)
    .flat()
    .find((each) => each.name === name);
}

/** The mean over collections, which all have the same weight; none where a collection lacks the system. */
function meanOf(measure: Measure, cells: readonly Cell[]): Cell {
  if (measure.isCount || cells.some(({ value }) => value === null)) return noValue;
  return measureCell(measure, cells.reduce((sum, cell) => sum + Number(cell.value), 0) / cells.length);
}

/** FLOPs per query, as run. */
function costTable(study: StudyResults): Table {
  return {
    id: 'cost',
    title: 'GFLOPs per query, as run',
    columns: ['Model', ...study.keys()],
    groups: costRows(study, ({ cost }) => cost.flops / 1e9),
    notes: [
      'Matrix products of the tokens that were really fed to the models, choosing best passages included.',
    ],
  };
}

/** Seconds of the models per query; no table where they were not measured. */
function secondsTables(study: StudyResults): Table[] {
  const measured = [...study].flatMap(([name, results]) =>
    rerankersOf(results).flatMap(({ reranking }) =>
      reranking!.timing ? [{ name, machine: reranking!.timing.machine }] : [],
    ),
  );
  if (measured.length === 0) return [];
  const machines = [...new Set(measured.map(({ machine }) => machine))];
  const where = machines.map((machine) => {
    const names = [...new Set(measured.filter((one) => one.machine === machine).map(({ name }) => name))];
    return machines.length === 1 ? machine : `${machine} (${names.join(', ')})`;
  });
  return [
    {
      id: 'seconds',
      title: 'Seconds per query, as run',
      columns: ['Model', ...study.keys()],
      groups: costRows(study, ({ timing }) => timing?.seconds ?? 0),
      notes: [
        'All that the models of a system take for a query, one query at a time, choosing best passages included; without the first ' +
          'stage. Every pair counts what it took when it was scored, also where systems share its score. ' +
          `Measured while the study ran, whatever else the machine did: ${where.join('; ')}. –: not measured for all pairs.`,
      ],
    },
  ];
}

type RerankingResult = NonNullable<SystemResult['reranking']>;

/** Rows of re-rankers with their cost in every collection; 0 means unknown. */
function costRows(study: StudyResults, of: (reranking: RerankingResult) => number): Row[][] {
  const all = [...study.values()];
  const names = new Set(all.flatMap((results) => rerankersOf(results).map(({ name }) => name)));
  return [
    [...names].map((name) => ({
      label: name,
      cells: all.map((results) => {
        const reranking = systemOf(name, results)?.reranking;
        const value = reranking ? of(reranking) : 0;
        return value === 0 ? noValue : { text: costText(value), value };
      }),
    })),
  ];
}

function costText(value: number): string {
  return value < 1 ? value.toPrecision(2) : value.toFixed(value < 10 ? 1 : 0);
}
