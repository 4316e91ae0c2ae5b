/** 1234567 → 1,234,567. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Seconds in the units that suit them: 8.2 s, 3 min 20 s, 2 h 5 min. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A count with its noun: 1 query, 1,200 queries. */
export function counted(count: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Rows as columns of text: the first to the left and, unless `numbers` is false, the others to the right. */
export function aligned(rows: readonly (readonly string[])[], numbers = true): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell: string, column: number): string =>
    numbers && column > 0 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]);
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
