import { gridsOf, type Cell, type Grid } from './grid.js';
import type { Report } from './report.js';

const BEST = '▸';

export interface TextOptions {
  /** Set the best values in bold with ANSI codes (false). */
  readonly colour?: boolean;
}

/** Tables for a terminal: columns aligned, the best of each column marked. */
export function formatText(report: Report, { colour = false }: TextOptions = {}): string {
  return `${gridsOf(report)
    .map((grid) => formatGrid(grid, colour))
    .join('\n\n')}\n`;
}

function formatGrid({ title, header, rows, notes }: Grid, colour: boolean): string {
  const [labelHeader, ...measures] = header;
  const labelWidth = widest([labelHeader, ...rows.map(({ label }) => label)]);
  const widths = measures.map((measure, i) =>
    widest([measure, ...rows.map(({ cells }) => cells[i].text + (cells[i].marks ?? ''))]),
  );
  const head = [
    labelHeader.padEnd(labelWidth),
    ...measures.map((measure, i) => `  ${measure.padEnd(widths[i])}`),
  ];
  const body = rows.map(({ label, cells }) => [
    label.padEnd(labelWidth),
    ...cells.map((cell, i) => formatCell(cell, widths[i], colour)),
  ]);
  const rule = '─'.repeat(head.join(' ').length);
  const hasBest = rows.some(({ cells }) => cells.some(({ best }) => best));
  return [
    ...(title ? [title] : []),
    head.join(' ').trimEnd(),
    rule,
    ...body.map((line) => line.join(' ').trimEnd()),
    ...(hasBest ? [`${BEST} best of its column`] : []),
    ...notes,
  ].join('\n');
}

function formatCell({ text, marks = '', best }: Cell, width: number, colour: boolean): string {
  const padding = ' '.repeat(width - text.length - marks.length);
  const shown = best && colour ? `\u001B[1m${text}\u001B[22m` : text;
  return `${best ? BEST : ' '} ${shown}${marks}${padding}`;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
