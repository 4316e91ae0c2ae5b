import { paperCountNote } from '../../expansion/index.js';
import { measureCell } from '../../evaluation/index.js';
import type { Results, SystemResult } from '../results.js';
import { differenceTable } from './difference-tables.js';
import { trainingTable } from './training-table.js';
import { markBest, noValue, type Cell, type Row, type Table } from '../../common/table/table.js';
import {
  gainsOf,
  measureCells,
  measureColumns,
  ownColumns,
  plainCell,
  publishedCell,
  publishedNote,
  publishedOnly,
  significanceNote,
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
  const { baselines, variants } = results;
  const groups = [
    baselines.filter(({ reranking }) => !reranking),
    baselines.filter(({ reranking }) => reranking),
    variants.slice(0, 1),
  ].map((group) => measureRows(group, results));
  return {
    id: 'main',
    title: 'Effectiveness',
    columns: ['Model', ...measureColumns(results)],
    groups: markBest(
      [...groups, publishedRows(results)].filter((group) => group.length > 0),
      ownColumns(results),
    ),
    notes: [significanceNote(results), ...publishedNote(results)],
  };
}

function measureRows(systems: readonly SystemResult[], results: Results): Row[] {
  return systems.map((system) => ({ label: system.name, cells: measureCells(system, results) }));
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
  const { baselines, variants } = results;
  const rerankers = baselines.filter(({ reranking }) => reranking);
  const unit = unitOf(results);
  const rowOf = (system: SystemResult): Row => ({
    label: system.name,
    cells: [...costCells(system, unit), ...measureCells(system, results)],
  });
  return {
    id: 'variants',
    title: 'Variants and their cost',
    columns: ['Model', 'FLOPs', 'GFLOPs as run', 'Pairs', ...measureColumns(results)],
    groups: markBest(
      [rerankers, variants].filter((group) => group.length > 0).map((group) => group.map(rowOf)),
      ownColumns(results, 3),
    ),
    notes: [
      `FLOPs: as the paper counts them (${paperCountNote}), relative to ${unit.name}. As run: matrix ` +
        'products of the tokens really fed, per query, choosing the best passages included. Pairs: put to a model, per query.',
      significanceNote(results),
      ...publishedNote(results),
    ],
  };
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
  const groups = [results.against, [of], systems].map((group) => measureRows(group, results));
  return {
    id: 'ablations',
    title: `Ablations of ${of.name}`,
    columns: ['Model', ...measureColumns(results)],
    groups: markBest(groups, ownColumns(results)),
    notes: [significanceNote(results), ...publishedNote(results)],
  };
}

/** The values of the kc × m figure (figure 3 of the paper). */
function gridTable(results: Results, { of, points }: NonNullable<Results['grid']>): Table {
  const widths = [...new Set(points.map(({ chunkWords }) => chunkWords))];
  const rowOf = (point: (typeof points)[number]): Row => ({
    label: String(point.kc),
    cells: [
      plainCell(point.chunkWords),
      ...results.measures.map((measure) => measureCell(measure, point.evaluation.summary.get(measure.name)!)),
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
  const { baselines, variants, ablations } = results;
  const all = [...baselines, ...variants, ...(ablations?.systems ?? [])].filter(({ reranking }) => reranking);
  return {
    id: 'interpolation',
    title: 'α and β chosen on the validation queries, fold by fold',
    columns: ['Model', ...Array.from({ length: results.collection.folds }, (_, i) => `Fold ${i + 1}`)],
    groups: [all.map(({ name, reranking }) => ({ label: name, cells: reranking!.chosen.map(plainCell) }))],
    notes: [
      'α / β. MaxP has no expansion: its α is 0. Without rel(q,d), α is 1.' +
        (baselines.some(({ reranking }) => reranking && !reranking.paper)
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
