import type { Comparison } from '../compare.js';
import type { Evaluation } from '../evaluate.js';
import type { Report } from './report.js';

/** The machine-readable form; its shape is part of the command line's contract. */
export function formatJson(report: Report): string {
  const runs = report.runs.map(({ file, evaluation, isBaseline }) => ({
    run: file,
    measures: Object.fromEntries(evaluation.summary),
    ...(report.perQuery && { perQuery: byQuery(evaluation) }),
    ...(report.comparisons.length > 0 &&
      !isBaseline && {
        tests: report.comparisons.filter(({ run }) => run === file).map((each) => testOf(each, report)),
      }),
  }));
  return `${JSON.stringify({ runs }, undefined, 2)}\n`;
}

function byQuery({ queries, perQuery }: Evaluation): Record<string, Record<string, number>> {
  return Object.fromEntries(
    queries.map((query, row) => [
      query,
      Object.fromEntries([...perQuery].map(([measure, values]) => [measure, values[row]])),
    ]),
  );
}

/** What is not a number, such as the p of a single query, becomes null. */
function testOf(
  { baseline, measure, test, p, star, n, difference, interval, effectSize, uncorrectedP }: Comparison,
  { correction }: Report,
): Record<string, unknown> {
  return {
    baseline,
    measure,
    test,
    p,
    star,
    n,
    difference,
    interval,
    effectSize,
    ...(correction !== 'none' && { correction, uncorrectedP }),
  };
}
