import type { Cell, Table } from './table.js';

/** A `table` environment with booktabs rules; stars are raised, the best of each column is bold. */
export function toLatex({ id, title, columns, groups, notes }: Table): string {
  return [
    '% needs \\usepackage{booktabs}',
    '\\begin{table}',
    '\\centering',
    `\\begin{tabular}{l${'r'.repeat(columns.length - 1)}}`,
    '\\toprule',
    line(columns.map(escape)),
    ...groups.flatMap((rows) => [
      '\\midrule',
      ...rows.map(({ label, cells }) => line([escape(label), ...cells.map(format)])),
    ]),
    '\\bottomrule',
    '\\end{tabular}',
    `\\caption{${[title, ...notes].map((text) => escape(text.replace(/[.:]?$/, '.'))).join(' ')}}`,
    `\\label{tab:${id}}`,
    '\\end{table}',
    '',
  ].join('\n');
}

function format({ text, marks, best, quoted }: Cell): string {
  const value = escape(text).replace(/^-(?!-)/, '$-$');
  const shown = best ? `\\textbf{${value}}` : quoted ? `\\textit{${value}}` : value;
  const raised = marks?.trim().replaceAll(' ', '\\,').replaceAll('↓', '\\downarrow ');
  return raised ? `${shown}$^{${raised}}$` : shown;
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
  α: '$\\alpha$',
  β: '$\\beta$',
  Δ: '$\\Delta$',
  '×': '$\\times$',
  '–': '--',
  '↓': '$\\downarrow$',
};

function escape(text: string): string {
  return text.replace(/[\\~^<>&%$#_{}αβΔ×–↓]/g, (sign) => replacements[sign] ?? `\\${sign}`);
}
