/** A table of scores between 0 and 1 that are known in parts. A row's score rises with each of its cells. */
export interface ScoreTable<Row> {
  readonly rows: readonly Row[];
  /** Cells of a row. The first one is computed before the others. */
  readonly columns: number;
  /** The score in a cell; undefined where it is not known. */
  cell(row: Row, column: number): number | undefined;
  /** True where every cell of the row is known. */
  isComplete(row: Row): boolean;
  /** The row's score with `unknown` in every unknown cell. */
  score(row: Row, unknown: number): number;
  /** Pairs that a model scores for a cell. */
  cost(row: Row, column: number): number;
  /** The part of a row's weighted sum that its cell in this column can carry. */
  share(column: number): number;
  /** The part of its largest possible sum that a row must lose before its score falls below `score`. */
  excess(row: Row, score: number): number;
}

/** Cells of one row. */
export interface Cells<Row> {
  readonly row: Row;
  readonly columns: readonly number[];
}

/** Decides which scores are computed, in which order, and when to stop. It does not know what they mean. */
export interface Schedule {
  /**
   * Computes all of the items, in one call or in several.
   *
   * @param kind Items of one kind take equally long per pair.
   * @returns False where time ran out before all were computed.
   */
  all<Item>(
    kind: string,
    items: readonly Item[],
    cost: (item: Item) => number,
    compute: (items: readonly Item[]) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Computes the cells that the wanted places of the table depend on.
   *
   * @returns False where time ran out before those places were certain.
   */
  cells<Row>(
    table: ScoreTable<Row>,
    compute: (cells: readonly Cells<Row>[]) => Promise<void>,
  ): Promise<boolean>;
}

/** The schedule that computes everything at once, which lets a scorer form the best batches. */
export const everything: Schedule = {
  async all(_kind, items, _cost, compute) {
    if (items.length > 0) await compute(items);
    return true;
  },
  async cells(table, compute) {
    const open = table.rows.filter((row) => !table.isComplete(row));
    if (open.length > 0) await compute(open.map((row) => ({ row, columns: unknownColumns(table, row) })));
    return true;
  },
};

/** Columns of a row's unknown cells. */
export function unknownColumns<Row>(table: ScoreTable<Row>, row: Row): number[] {
  const unknown: number[] = [];
  for (let column = 0; column < table.columns; column++) {
    if (table.cell(row, column) === undefined) unknown.push(column);
  }
  return unknown;
}

/** The likely value of a row's unknown cells: the mean of the known ones, ½ while the first one is unknown. */
export function expectedCell<Row>(table: ScoreTable<Row>, row: Row): number {
  if (table.cell(row, 0) === undefined) return 0.5;
  let sum = 0;
  let known = 0;
  for (let column = 0; column < table.columns; column++) {
    const score = table.cell(row, column);
    if (score === undefined) continue;
    sum += score;
    known++;
  }
  return sum / known;
}

/** The distance between two bounds from which one is taken to lie below the other; none at ±∞. */
export function tolerance(score: number): number {
  return Number.isFinite(score) ? 1e-12 * (1 + Math.abs(score)) : 0;
}
