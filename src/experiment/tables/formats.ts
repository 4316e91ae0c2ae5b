import { toCsv } from './csv.js';
import { toJson } from './json.js';
import { toLatex } from './latex.js';
import { toMarkdown } from './markdown.js';
import type { Table } from './table.js';

/** The forms in which every table is written, by file extension. */
export const tableFormats: Readonly<Record<string, (table: Table) => string>> = {
  md: toMarkdown,
  tex: toLatex,
  csv: toCsv,
  json: toJson,
};
