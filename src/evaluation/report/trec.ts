import type { Evaluation } from '../evaluate.js';
import type { Measure } from '../measures/measure.js';
import type { EvaluationReport } from './report.js';

/** The evaluations of all runs; where there are several, each stands below a line with its file's name. */
export function formatTrecReport({ runs, perQuery }: EvaluationReport): string {
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

/**
 * A number with fixed decimals as C's `%.4f` prints it: exact ties are rounded to the even digit. `toFixed` rounds
 * them upwards, and measures hit them: 1/32 is 0.0312 in trec_eval.
 *
 * A double lies exactly between two decimals of `digits` places only when it is an odd multiple of
 * 2^-(digits+1), because odd / (2·10^digits) has no other denominator a double can hold.
 */
export function formatFixed(value: number, digits: number): string {
  const isTie = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  if (!isTie) return value.toFixed(digits);
  const scale = 10 ** digits;
  const below = Math.floor(value * scale);
  return ((below % 2 === 0 ? below : below + 1) / scale).toFixed(digits);
}
