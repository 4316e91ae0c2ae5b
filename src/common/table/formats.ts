import type { Cell, Table } from './table.js';

/** The formats of files, by extension. */
export const tableFormats: Readonly<Record<string, (table: Table) => string>> = {
  md: toMarkdown,
  tex: toLatex,
  csv: toCsv,
  json: toJson,
};

/** A Markdown table below its title; the best value of each column is bold, quoted numbers are slanted. */
export function toMarkdown({ title, columns, groups, notes }: Table): string {
  return [
    ...(title ? [`**${escapeMarkdown(title)}**`, ''] : []),
    markdownLine(columns.map(escapeMarkdown)),
    markdownLine(columns.map((_, i) => (i === 0 ? ':---' : '---:'))),
    ...groups
      .flat()
      .map(({ label, cells }) => markdownLine([escapeMarkdown(label), ...cells.map(markdownCell)])),
    ...notes.flatMap((note) => ['', escapeMarkdown(note)]),
    '',
  ].join('\n');
}

function markdownLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function markdownCell({ text, marks = '', best, quoted }: Cell): string {
  const value = escapeMarkdown(text);
  return (best ? `**${value}**` : quoted ? `_${value}_` : value) + escapeMarkdown(marks);
}

export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_|<>[\]]/g, '\\$&');
}

/** A `table` environment for a paper, with caption and label. */
export function toLatex(table: Table): string {
  const { id, title, columns, notes } = table;
  return [
    '% needs \\usepackage{booktabs}',
    '\\begin{table}',
    '\\centering',
    ...tabular(`l${'r'.repeat(columns.length - 1)}`, table),
    `\\caption{${[title, ...notes].map((text) => escapeLatex(text.replace(/[.:]?$/, '.'))).join(' ')}}`,
    `\\label{tab:${id}}`,
    '\\end{table}',
    '',
  ].join('\n');
}

/** A `tabular` environment with title and notes inside it. */
export function toLatexTabular(table: Table): string {
  const { title, columns, notes } = table;
  const wide = (text: string): string => `\\multicolumn{${columns.length}}{l}{${escapeLatex(text)}} \\\\`;
  const above = title ? [wide(title), '\\midrule'] : [];
  return `${tabular('l'.repeat(columns.length), table, above, notes.map(wide)).join('\n')}\n`;
}

/** Rows with booktabs rules between groups; the best value of each column is bold, marks are raised. */
function tabular(
  alignment: string,
  { columns, groups }: Table,
  above: readonly string[] = [],
  below: readonly string[] = [],
): string[] {
  return [
    `\\begin{tabular}{${alignment}}`,
    '\\toprule',
    ...above,
    latexLine(columns.map(escapeLatex)),
    ...groups.flatMap((rows) => [
      '\\midrule',
      ...rows.map(({ label, cells }) => latexLine([escapeLatex(label), ...cells.map(latexCell)])),
    ]),
    '\\bottomrule',
    ...below,
    '\\end{tabular}',
  ];
}

function latexLine(cells: readonly string[]): string {
  return `${cells.join(' & ')} \\\\`;
}

function latexCell({ text, marks, best, quoted }: Cell): string {
  // A dash becomes two hyphens, which are no minus sign.
  const value = escapeLatex(text).replace(/^-(?!-)/, '$-$');
  const shown = best ? `\\textbf{${value}}` : quoted ? `\\textit{${value}}` : value;
  const raised = marks?.trim().replaceAll(' ', '\\,').replaceAll('↓', '\\downarrow ');
  return raised ? `${shown}$^{${raised}}$` : shown;
}

const latexSigns: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '$<$',
  '>': '$>$',
  α: '$\\alpha$',
  β: '$\\beta$',
  Δ: '$\\Delta$',
  '×': '$\\times$',
  '±': '$\\pm$',
  '−': '$-$',
  '–': '--',
  '↓': '$\\downarrow$',
};

function escapeLatex(text: string): string {
  return text.replace(/[\\~^<>&%$#_{}αβΔ×±−–↓]/g, (sign) => latexSigns[sign] ?? `\\${sign}`);
}

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

/** A field as RFC 4180 has it: quoted where a comma, quote or line end would be misread. */
function csvField(value: string | number | null): string {
  if (value === null) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One object per row, with the headings as keys. */
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
