/** A value of a table, before any typography. */
export interface Cell {
  readonly text: string;
  /** The value behind the text, for programs; null where there is none. */
  readonly value: number | string | null;
  /** Stars, arrows and the letters of baselines. */
  readonly marks?: string;
  /** The best value of its column. */
  readonly best?: boolean;
  /** A published number, shown for comparison. */
  readonly quoted?: boolean;
}

export interface Row {
  readonly label: string;
  readonly cells: readonly Cell[];
}

/** A table, whatever its format: text, Markdown, LaTeX, CSV, JSON or HTML. */
export interface Table {
  /** The name of its files. */
  readonly id: string;
  /** Empty for a table without a heading. */
  readonly title: string;
  /** Headings; the first is that of the labels. */
  readonly columns: readonly string[];
  /** Groups of rows, separated by rules. */
  readonly groups: readonly (readonly Row[])[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

export const noValue: Cell = { text: '–', value: null };

/** Marks the largest value of each of these columns as the best; values that print the same are equally good. */
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
