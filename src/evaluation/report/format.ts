import { escapeMarkdown, toLatexTabular, toMarkdown } from '../../common/table/formats.js';
import { type TextOptions, toText } from '../../common/table/text.js';
import { formatCsv, formatJson } from './data.js';
import type { EvaluationReport } from './report.js';
import { reportTables } from './tables.js';
import { formatTrecReport } from './trec.js';

export const reportFormats = ['table', 'json', 'csv', 'markdown', 'latex', 'trec'] as const;
export type ReportFormat = (typeof reportFormats)[number];

export function formatReport(
  report: EvaluationReport,
  format: ReportFormat,
  options: TextOptions = {},
): string {
  switch (format) {
    case 'table':
      return reportTables(report)
        .map((table) => toText(table, options))
        .join('\n');
    case 'json':
      return formatJson(report);
    case 'csv':
      return formatCsv(report);
    case 'markdown':
      return formatMarkdown(report);
    case 'latex':
      return `% needs \\usepackage{booktabs}\n${reportTables(report).map(toLatexTabular).join('\n')}`;
    case 'trec':
      return formatTrecReport(report);
  }
}

/** Titles are plain paragraphs: the tables belong into a text. */
function formatMarkdown(report: EvaluationReport): string {
  return reportTables(report)
    .map((table) => {
      const heading = table.title ? `${escapeMarkdown(table.title)}:\n\n` : '';
      return heading + toMarkdown({ ...table, title: '' });
    })
    .join('\n');
}
