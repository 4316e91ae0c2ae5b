import { toCsv } from '../../common/table/formats.js';
import type { Cell, Row } from '../../common/table/table.js';
import type { Comparison } from '../compare.js';
import type { Evaluation } from '../evaluate.js';
import type { EvaluationReport, ReportedRun } from './report.js';

/**
 * One line per run, or per run and query with the run's summary ("all") last. Values have full precision; p-values
 * against the baselines are in columns of their own.
 */
export function formatCsv(report: EvaluationReport): string {
  const measures = report.measures.map(({ name }) => name);
  const baselines = [...new Set(report.comparisons.map(({ baseline }) => baseline))];
  const tested = [...new Set(report.comparisons.map(({ measure }) => measure))];
  const tests = baselines.flatMap((baseline) => tested.map((measure) => ({ baseline, measure })));
  const summaryOf = ({ file, evaluation }: ReportedRun): Row => {
    const pValues = tests.map(
      ({ baseline, measure }) =>
        report.comparisons.find(
          (each) => each.run === file && each.baseline === baseline && each.measure === measure,
        )?.p,
    );
    return rowOf(file, 'all', [...measures.map((name) => evaluation.summary.get(name)), ...pValues]);
  };
  const queriesOf = ({ file, evaluation }: ReportedRun): Row[] =>
    evaluation.queries.map((query, i) => {
      const values = measures.map((name) => evaluation.perQuery.get(name)![i]);
      return rowOf(file, query, [...values, ...tests.map(() => undefined)]);
    });
  return toCsv({
    id: 'evaluation',
    title: '',
    columns: [
      'run',
      'query',
      ...measures,
      ...tests.map(({ baseline, measure }) => `p of ${measure} against ${baseline}`),
    ],
    groups: report.runs.map((run) => [...(report.perQuery ? queriesOf(run) : []), summaryOf(run)]),
    notes: [],
  });
}

function rowOf(file: string, query: string, values: readonly (number | undefined)[]): Row {
  const cells = values.map((value): Cell => ({
    text: String(value),
    value: value === undefined || Number.isNaN(value) ? null : value,
  }));
  return { label: file, cells: [{ text: query, value: query }, ...cells] };
}

/** The machine-readable form; its shape is part of the command line's contract. */
export function formatJson(report: EvaluationReport): string {
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

/** A test in JSON, where NaN, such as the p-value of a single query, becomes null. */
function testOf(
  { baseline, measure, test, p, star, n, difference, interval, effectSize, uncorrectedP }: Comparison,
  { correction }: EvaluationReport,
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
