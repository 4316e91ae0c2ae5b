import type { Cell, Table } from './table.js';

/** The best of each column is bold, quoted numbers are slanted. */
export function toMarkdown({ title, columns, groups, notes }: Table): string {
  return [
    `**${escape(title)}**`,
    '',
    line(columns.map(escape)),
    line(columns.map((_, i) => (i === 0 ? ':---' : '---:'))),
    ...groups.flat().map(({ label, cells }) => line([escape(label), ...cells.map(format)])),
    ...notes.flatMap((note) => ['', escape(note)]),
    '',
  ].join('\n');
}

function format({ text, marks = '', best, quoted }: Cell): string {
  const shown = escape(text);
  return (best ? `**${shown}**` : quoted ? `_${shown}_` : shown) + escape(marks);
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function escape(text: string): string {
  return text.replace(/[\\`*_|<>[\]]/g, '\\$&');
}
