import { gridsOf, type Grid } from './grid.js';
import type { Report } from './report.js';

/** `tabular` environments with booktabs rules; the best of each column is bold, stars are raised. */
export function formatLatex(report: Report): string {
  return `% needs \\usepackage{booktabs}\n${gridsOf(report).map(formatGrid).join('\n\n')}\n`;
}

function formatGrid({ title, header, rows, notes }: Grid): string {
  const wide = (text: string): string => `\\multicolumn{${header.length}}{l}{${escape(text)}} \\\\`;
  return [
    `\\begin{tabular}{l${'l'.repeat(header.length - 1)}}`,
    '\\toprule',
    ...(title ? [wide(title), '\\midrule'] : []),
    line(header.map(escape)),
    '\\midrule',
    ...rows.map(({ label, cells }) =>
      line([
        escape(label),
        ...cells.map(({ text, marks, best }) => {
          const value = escape(text).replace(/^-/, '$-$');
          const shown = best ? `\\textbf{${value}}` : value;
          return marks ? `${shown}$^{${marks.trim().replaceAll(' ', '\\,')}}$` : shown;
        }),
      ]),
    ),
    '\\bottomrule',
    ...notes.map(wide),
    '\\end{tabular}',
  ].join('\n');
}

function line(cells: readonly string[]): string {
  return `${cells.join(' & ')} \\\\`;
}

const replacements: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '$<$',
  '>': '$>$',
};

function escape(text: string): string {
  return text.replace(/[\\~^<>&%$#_{}]/g, (sign) => replacements[sign] ?? `\\${sign}`);
}
