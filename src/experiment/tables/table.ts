/** One value of a table, before any typography. */
export interface Cell {
  readonly text: string;
  /** The value behind the text, for programs. */
  readonly value: number | string | null;
  /** Stars and the like. */
  readonly marks?: string;
  /** The best of its column. */
  readonly best?: boolean;
  /** Someone else's number, shown for comparison. */
  readonly quoted?: boolean;
}

export interface Row {
  readonly label: string;
  readonly cells: readonly Cell[];
}

/** A table: the same for Markdown, LaTeX, CSV, JSON and HTML. */
export interface Table {
  /** Names its files. */
  readonly id: string;
  readonly title: string;
  /** The label's column first. */
  readonly columns: readonly string[];
  /** Groups of rows, set apart by rules. */
  readonly groups: readonly (readonly Row[])[];
  /** Sentences below it. */
  readonly notes: readonly string[];
}

export const noValue: Cell = { text: '–', value: null };

/** Marks the largest of each column as the best; values that print the same are equally good. */
export function markBest(groups: readonly (readonly Row[])[], columns: readonly number[]): Row[][] {
  const best = new Map(
    columns.map((column) => {
      const values = groups.flat().map(({ cells }) => Number(cells[column].text));
      return [column, Math.max(...values.filter((value) => !Number.isNaN(value)))];
    }),
  );
  return groups.map((rows) =>
    rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell, i) =>
        best.has(i) && Number(cell.text) === best.get(i) ? { ...cell, best: true } : cell,
      ),
    })),
  );
}
