import { TimeSlice } from '../../common/yield.js';
import {
  everything,
  expectedCell,
  tolerance,
  unknownColumns,
  type Cells,
  type Schedule,
  type ScoreTable,
} from './schedule.js';

/** The first places that must be exact, and how much is computed at a time. */
export interface TopKOptions {
  readonly k: number;
  /** Pairs of a round: enough to fill a scorer's batches, few enough for the bounds to act in between. */
  readonly roundPairs: number;
  /** Pairs that the models have scored so far. */
  readonly scoredPairs: () => number;
}

/** The schedule that computes the cells on which the first k rows and their scores depend, and no others. */
export function exactTopK(options: TopKOptions): Schedule {
  return {
    all: everything.all,
    cells: (table, compute) =>
      computeTopK(table, options, async (cells) => {
        await compute(cells);
        return true;
      }),
  };
}

/**
 * Computes cells, a round at a time, until the first k rows and their scores are those of the complete table. The
 * k-th largest lower bound is a floor under the k-th place. A row whose upper bound lies below it cannot come in.
 *
 * @param compute Computes cells; false where time ran out.
 * @returns False where time ran out first.
 */
export async function computeTopK<Row>(
  table: ScoreTable<Row>,
  { k, roundPairs, scoredPairs }: TopKOptions,
  compute: (cells: readonly Cells<Row>[]) => Promise<boolean>,
): Promise<boolean> {
  const slice = new TimeSlice();
  let contenders = table.rows;
  let most = roundPairs;
  let isOver = false;
  for (;;) {
    const floor = kthLargest(
      contenders.map((row) => table.score(row, 0)),
      k,
    );
    // Bounds only tighten: a row that is out stays out.
    contenders = contenders.filter((row) => table.score(row, 1) >= floor - tolerance(floor));
    const cells = planRound(table, contenders, floor, k, most);
    if (cells.length === 0) return true;
    if (isOver) return false;
    const before = scoredPairs();
    isOver = !(await compute(cells));
    // Rounds of equal texts need no model. They grow, so that planning them does not take longer than scoring.
    most = scoredPairs() - before < Math.min(leastPairs, roundPairs) ? 2 * most : roundPairs;
    if (slice.isOver) await slice.yield();
  }
}

/** Smaller rounds are filled up: a batch that is nearly empty costs as much as a full one. */
const leastPairs = 32;

/**
 * The cells to compute next; none when every contender is complete. Any choice is correct, a good one is cheap. Rows
 * that look like the first k are completed at once, which raises the floor. Every other row gets the fewest cells
 * that could rule it out.
 */
function planRound<Row>(
  table: ScoreTable<Row>,
  contenders: readonly Row[],
  floor: number,
  k: number,
  roundPairs: number,
): Cells<Row>[] {
  const byExpectation = contenders
    .map((row) => ({ row, expected: table.score(row, expectedCell(table, row)) }))
    .sort((a, b) => b.expected - a.expected);
  const order = columnsByDrop(table, contenders);
  const least = Math.min(leastPairs, roundPairs);
  const planned: Cells<Row>[] = [];
  let pairs = 0;
  for (const [place, { row }] of byExpectation.entries()) {
    // Until the first k are complete, the floor is too low to tell how little rules the others out.
    if (place === k && pairs >= least) break;
    if (pairs >= roundPairs) break;
    if (table.isComplete(row)) continue;
    if (table.cell(row, 0) === undefined) {
      planned.push({ row, columns: [0] });
      pairs += table.cost(row, 0);
      continue;
    }
    const columns = place < k ? unknownColumns(table, row) : fewestToRuleOut(table, row, floor, order);
    planned.push({ row, columns });
    pairs += columns.length;
  }
  return pairs < least ? fillUp(table, planned, least - pairs) : planned;
}

/** The unknown cells that would rule a row out if all of them were 0; all unknown cells where even that would not. */
function fewestToRuleOut<Row>(
  table: ScoreTable<Row>,
  row: Row,
  floor: number,
  order: readonly number[],
): number[] {
  const excess = table.excess(row, floor);
  const columns: number[] = [];
  let lost = 0;
  for (const column of order) {
    if (table.cell(row, column) !== undefined) continue;
    columns.push(column);
    lost += table.share(column);
    if (lost > excess) break;
  }
  return columns;
}

/** Columns by how far they are expected to lower an upper bound, judged by the cells known so far. */
function columnsByDrop<Row>(table: ScoreTable<Row>, contenders: readonly Row[]): number[] {
  const drops = Array.from({ length: table.columns }, (_, column) => {
    // One assumed score of ½ serves until there are real ones.
    let sum = 0.5;
    let known = 1;
    for (const row of contenders) {
      const score = table.cell(row, column);
      if (score === undefined) continue;
      sum += score;
      known++;
    }
    return table.share(column) * (1 - sum / known);
  });
  return drops.map((_, column) => column).sort((a, b) => drops[b] - drops[a]);
}

/** Adds cells of the planned rows, in their order, until there are `missing` more. */
function fillUp<Row>(table: ScoreTable<Row>, planned: readonly Cells<Row>[], missing: number): Cells<Row>[] {
  return planned.map(({ row, columns }) => {
    if (columns[0] === 0) return { row, columns };
    const more = unknownColumns(table, row)
      .filter((column) => !columns.includes(column))
      .slice(0, Math.max(0, missing));
    missing -= more.length;
    return { row, columns: [...columns, ...more] };
  });
}

/** -∞ when there are fewer than k. */
function kthLargest(values: readonly number[], k: number): number {
  if (values.length <= k) return Number.NEGATIVE_INFINITY;
  return Float64Array.from(values).sort()[values.length - k];
}
