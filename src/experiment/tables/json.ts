import type { Table } from './table.js';

/** A row as an object, under the names of the columns. */
export function toJson({ id, title, columns, groups, notes }: Table): string {
  const rows = groups.flat().map(({ label, cells }) => ({
    [columns[0]]: label,
    ...Object.fromEntries(
      cells.flatMap(({ value, marks }, i) => [
        [columns[i + 1], value],
        ...(marks ? [[`${columns[i + 1]} marks`, marks.trim()]] : []),
      ]),
    ),
  }));
  return `${JSON.stringify({ id, title, rows, notes }, undefined, 2)}\n`;
}
