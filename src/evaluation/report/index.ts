import { formatCsv } from './csv.js';
import { formatJson } from './json.js';
import { formatLatex } from './latex.js';
import { formatMarkdown } from './markdown.js';
import type { Report } from './report.js';
import { formatText, type TextOptions } from './text.js';
import { formatTrecReport } from './trec.js';

export const reportFormats = ['table', 'json', 'csv', 'markdown', 'latex', 'trec'] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Writes a report in one of its formats. */
export function formatReport(report: Report, format: ReportFormat, options: TextOptions = {}): string {
  switch (format) {
    case 'table':
      return formatText(report, options);
    case 'json':
      return formatJson(report);
    case 'csv':
      return formatCsv(report);
    case 'markdown':
      return formatMarkdown(report);
    case 'latex':
      return formatLatex(report);
    case 'trec':
      return formatTrecReport(report);
  }
}
