import type { Evaluation } from '../evaluate.js';
import type { Measure } from '../measures/measure.js';
import { formatFixed } from './fixed.js';
import type { Report } from './report.js';

/** One evaluation after the other; several are told apart by a line with the file's name. */
export function formatTrecReport({ runs, perQuery }: Report): string {
  return runs
    .map(({ file, evaluation }) => {
      const heading = runs.length > 1 ? `${'runid'.padEnd(22)}\tall\t${file}\n` : '';
      return heading + formatTrec(evaluation, { perQuery });
    })
    .join('');
}

/** An evaluation as trec_eval prints it, byte for byte; `perQuery` is its `-q`. */
export function formatTrec(evaluation: Evaluation, { perQuery = false } = {}): string {
  const { measures, queries } = evaluation;
  const lines: string[] = [];
  if (perQuery) {
    const printed = measures.filter((measure) => measure.printedPerQuery);
    queries.forEach((query, row) => {
      for (const measure of printed) {
        lines.push(formatLine(measure, query, evaluation.perQuery.get(measure.name)![row]));
      }
    });
  }
  for (const measure of measures)
    lines.push(formatLine(measure, 'all', evaluation.summary.get(measure.name)!));
  return lines.map((line) => `${line}\n`).join('');
}

function formatLine({ trecName, isCount }: Measure, query: string, value: number): string {
  return `${trecName.padEnd(22)}\t${query}\t${isCount ? value : formatFixed(value, 4)}`;
}
