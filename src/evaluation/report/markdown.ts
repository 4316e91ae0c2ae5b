import { gridsOf, type Grid } from './grid.js';
import type { Report } from './report.js';

/** Tables for a README or a paper's appendix; the best of each column is bold. */
export function formatMarkdown(report: Report): string {
  return `${gridsOf(report).map(formatGrid).join('\n\n')}\n`;
}

function formatGrid({ title, header, rows, notes }: Grid): string {
  return [
    ...(title ? [`${escape(title)}:`, ''] : []),
    line(header.map(escape)),
    line(header.map((_, i) => (i === 0 ? ':---' : '---:'))),
    ...rows.map(({ label, cells }) =>
      line([
        escape(label),
        ...cells.map(
          ({ text, marks = '', best }) => (best ? `**${escape(text)}**` : escape(text)) + escape(marks),
        ),
      ]),
    ),
    ...notes.flatMap((note) => ['', escape(note)]),
  ].join('\n');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function escape(text: string): string {
  return text.replace(/[\\`*_|<>[\]]/g, '\\$&');
}
