import type { Cell, Table } from './table.js';

const BEST = '▸';

export interface TextOptions {
  /** Sets the best values in bold with ANSI codes (false). */
  readonly colour?: boolean;
}

/** A table for a terminal: columns aligned, the best value of each column marked. */
export function toText(
  { title, columns, groups, notes }: Table,
  { colour = false }: TextOptions = {},
): string {
  const rows = groups.flat();
  const [labels, ...names] = columns;
  const head = [labels, ...names.map((name) => `  ${name}`)];
  const body = rows.map(({ label, cells }) => [label, ...cells.map((cell) => shown(cell, colour))]);
  const lines = alignColumns([head, ...body], { separator: ' ' });
  const hasBest = rows.some(({ cells }) => cells.some(({ best }) => best));
  return [
    ...(title ? [title] : []),
    lines[0],
    '─'.repeat(Math.max(...lines.map(widthOf))),
    ...lines.slice(1),
    ...(hasBest ? [`${BEST} best of its column`] : []),
    ...notes,
    '',
  ].join('\n');
}

function shown({ text, marks = '', best }: Cell, colour: boolean): string {
  return `${best ? BEST : ' '} ${best && colour ? `\u001B[1m${text}\u001B[22m` : text}${marks}`;
}

interface AlignOptions {
  /** Alignment of all columns but the first, which is left-aligned (left). */
  readonly align?: 'left' | 'right';
  /** Text between columns (two spaces). */
  readonly separator?: string;
}

/** Lines whose columns stand below each other. */
export function alignColumns(
  lines: readonly (readonly string[])[],
  { align = 'left', separator = '  ' }: AlignOptions = {},
): string[] {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => widthOf(line[column]))));
  const pad = (cell: string, column: number): string => {
    const padding = ' '.repeat(widths[column] - widthOf(cell));
    return align === 'right' && column > 0 ? padding + cell : cell + padding;
  };
  return lines.map((line) => line.map(pad).join(separator).trimEnd());
}

function widthOf(text: string): number {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001B\[\d+m/g, '').length;
}
