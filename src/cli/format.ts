import { alignColumns } from '../common/table/text.js';
import type { Io } from './command.js';

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

/** The lines of a table: the first column to the left, the others to the left or, for numbers, to the right. */
export function tableText(
  rows: readonly (readonly string[])[],
  options: { align?: 'left' | 'right' } = {},
): string {
  return `${alignColumns(rows, options).join('\n')}\n`;
}

/** Writes a value as one line of JSON to standard output. */
export function writeJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value)}\n`);
}
