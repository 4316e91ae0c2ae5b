import type { Table } from './table.js';

/** Values in full precision; marks in columns of their own where there are any. */
export function toCsv({ columns, groups }: Table): string {
  const rows = groups.flat();
  const marked = columns.slice(1).map((_, i) => rows.some(({ cells }) => cells[i].marks));
  const header = [
    columns[0],
    ...columns.slice(1).flatMap((name, i) => (marked[i] ? [name, `${name} marks`] : [name])),
  ];
  const lines = rows.map(({ label, cells }) => [
    label,
    ...cells.flatMap(({ value, marks = '' }, i) => (marked[i] ? [value, marks.trim()] : [value])),
  ]);
  return [header, ...lines].map((line) => `${line.map(csvField).join(',')}\n`).join('');
}

/** RFC 4180: quoted where a comma, quote or line end would be misread. */
function csvField(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
