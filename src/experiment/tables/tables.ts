import { paperCountNote } from '../../expansion/index.js';
import { measureCell, summaryCell } from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { differenceTable } from './difference-tables.js';
import { trainingTable } from './training-table.js';
import { markBest, noValue, type Cell, type Row, type Table } from '../../common/table/table.js';
import {
  gainsOf,
  groupsOf,
  measureCells,
  measureColumns,
  measureNotes,
  ownColumns,
  plainCell,
  publishedCell,
  publishedNote,
  publishedOnly,
  rerankersOf,
} from './values.js';

/** All tables of an experiment, in the order of the paper; the last one, query by query, is for programs. */
export function tablesOf(results: Results): Table[] {
  return [
    mainTable(results),
    variantsTable(results),
    differenceTable(results),
    ...(results.ablations ? [ablationTable(results, results.ablations)] : []),
    ...(results.grid ? [gridTable(results, results.grid)] : []),
    foldsTable(results),
    ...(results.trained ? [trainingTable(results, results.trained)] : []),
    interpolationTable(results),
    gainsTable(results),
  ];
}

/** Baselines and the first variant of BERT-QE (table 2 of the paper). */
function mainTable(results: Results): Table {
  const [others, rerankers, variants] = groupsOf(results);
  const groups = [others, rerankers, variants.slice(0, 1)];
  return systemTable('main', 'Effectiveness', groups, results, { below: publishedRows(results) });
}

/** What a table of systems has besides their measures. */
interface Additions {
  /** Columns in front of the measures. */
  readonly columns?: readonly string[];
  readonly cellsOf?: (system: SystemResult) => readonly Cell[];
  /** Rows below those of the systems. */
  readonly below?: readonly Row[];
  readonly notes?: readonly string[];
}

/** A table of systems with their measures, the best values marked. */
function systemTable(
  id: string,
  title: string,
  groups: readonly (readonly SystemResult[])[],
  results: Results,
  { columns = [], cellsOf = () => [], below = [], notes = [] }: Additions = {},
): Table {
  const rows = groups.map((group) =>
    group.map((system): Row => ({
      label: system.name,
      cells: [...cellsOf(system), ...measureCells(system, results)],
    })),
  );
  return {
    id,
    title,
    columns: ['Model', ...columns, ...measureColumns(results)],
    groups: markBest(
      [...rows, below].filter((group) => group.length > 0),
      ownColumns(results, columns.length),
    ),
    notes: [...notes, ...measureNotes(results)],
  };
}

/** Rows of published systems that are not part of this experiment. */
function publishedRows(results: Results): Row[] {
  const { baselines, variants, ablations, measures } = results;
  const own = [...baselines, ...variants, ...(ablations ? [ablations.of, ...ablations.systems] : [])];
  const names = own.map(({ name }) => name);
  return publishedOnly([results], names).map((name) => ({
    label: name,
    cells: measures.flatMap((measure) => [noValue, publishedCell(name, measure.name, results)]),
  }));
}

/** Every variant with its cost (tables 3 and 4 of the paper). */
function variantsTable(results: Results): Table {
  const [, rerankers, variants] = groupsOf(results);
  const unit = unitOf(results);
  return systemTable('variants', 'Variants and their cost', [rerankers, variants], results, {
    columns: ['FLOPs', 'GFLOPs as run', 'Pairs'],
    cellsOf: (system) => costCells(system, unit),
    notes: [
      `FLOPs: as the paper counts them (${paperCountNote}), relative to ${unit.name}. As run: matrix ` +
        'products of the tokens really fed, per query, choosing the best passages included. Pairs: put to a model, per query.',
    ],
  });
}

interface CostUnit {
  readonly name: string;
  readonly flops: number;
}

/** The system that costs are relative to: the re-ranker that the others are tested against, as in the paper. */
export function unitOf({ against, baselines, variants }: Results): CostUnit {
  const unit = [...against, ...baselines, ...variants].find(({ reranking }) => reranking?.paper)!;
  return { name: unit.name, flops: unit.reranking!.paper!.flops };
}

function costCells({ reranking }: SystemResult, unit: CostUnit): Cell[] {
  if (!reranking) return [noValue, noValue, noValue];
  const { paper, cost } = reranking;
  const relative = paper && paper.flops / unit.flops;
  return [
    relative === undefined ? noValue : { text: `${relative.toFixed(2)}×`, value: relative },
    cost.flops === 0 ? noValue : { text: significant(cost.flops / 1e9), value: cost.flops / 1e9 },
    { text: cost.pairs.toFixed(0), value: cost.pairs },
  ];
}

function significant(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** The effect of leaving a part of the method out (table 5 of the paper). */
function ablationTable(results: Results, { of, systems }: NonNullable<Results['ablations']>): Table {
  return systemTable('ablations', `Ablations of ${of.name}`, [results.against, [of], systems], results);
}

/** The values of the kc × m figure (figure 3 of the paper). */
function gridTable(results: Results, { of, points }: NonNullable<Results['grid']>): Table {
  const widths = [...new Set(points.map(({ chunkWords }) => chunkWords))];
  const rowOf = (point: (typeof points)[number]): Row => ({
    label: String(point.kc),
    cells: [
      plainCell(point.chunkWords),
      ...results.measures.map((measure) => summaryCell(measure, point.evaluation)),
    ],
  });
  const groups = widths.map((width) =>
    points
      .filter(({ chunkWords }) => chunkWords === width)
      .toSorted((a, b) => a.kc - b.kc)
      .map(rowOf),
  );
  return {
    id: 'grid',
    title: `Number of chunks kc and their words m, ${of}`,
    columns: ['kc', 'm', ...results.measures.map(({ name }) => name)],
    groups: markBest(
      groups,
      results.measures.map((_, i) => i + 1),
    ),
    notes: [],
  };
}

/** α and β that were chosen for the first variant in each fold, with its validation results (the paper's appendix). */
function foldsTable(results: Results): Table {
  const [first] = results.variants;
  const published = results.experiment.published?.interpolation;
  const rows = first.reranking!.folds.map(({ alpha, beta, validation }, i): Row => {
    const theirs = published?.[i];
    return {
      label: String(i + 1),
      cells: [
        ...results.measures.map((measure) => measureCell(measure, validation[measure.name])),
        plainCell(alpha),
        plainCell(beta),
        ...(published ? [theirs?.alpha, theirs?.beta].map(quotedCell) : []),
      ],
    };
  });
  return {
    id: 'folds',
    title: `Validation results and chosen α and β, ${first.name}`,
    columns: [
      'Fold',
      ...results.measures.map(({ name }) => name),
      'α',
      'β',
      ...(published ? ['α (published)', 'β (published)'] : []),
    ],
    groups: [rows],
    notes: publishedNote(results),
  };
}

function quotedCell(value: number | undefined): Cell {
  return value === undefined ? noValue : { ...plainCell(value), quoted: true };
}

/** α and β of every re-ranker in every fold. */
function interpolationTable(results: Results): Table {
  const all = rerankersOf(results);
  return {
    id: 'interpolation',
    title: 'α and β chosen on the validation queries, fold by fold',
    columns: ['Model', ...Array.from({ length: results.collection.folds }, (_, i) => `Fold ${i + 1}`)],
    groups: [all.map(({ name, reranking }) => ({ label: name, cells: reranking!.chosen.map(plainCell) }))],
    notes: [
      'α / β. MaxP has no expansion: its α is 0. Without rel(q,d), α is 1.' +
        (all.some(({ reranking }) => !reranking!.paper)
          ? ' Birch: α / β / γ. Trained controls: the share of their score against the initial score; SNRM+PRF: documents, terms and weight of the feedback.'
          : ''),
    ],
  };
}

/** The gain of every variant over the baseline, query by query. */
function gainsTable(results: Results): Table {
  const gains = results.variants.map((variant) => gainsOf(variant, results));
  const { measure, baseline } = gains[0];
  const rows = gains[0].byQuery.map(({ query }, i) => ({
    label: query,
    cells: gains.map(({ byQuery }) => measureCell({ isCount: false }, byQuery[i].gain)),
  }));
  return {
    id: 'gains',
    title: `Δ${measure} per query, against ${baseline}`,
    columns: ['Query', ...gains.map(({ system }) => system)],
    groups: [rows],
    notes: [],
  };
}
