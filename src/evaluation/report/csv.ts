import type { ReportedRun, Report } from './report.js';

/**
 * One line per run, or per run and query with the run's summary ("all") last. Values in full precision; p-values
 * against the baselines in columns of their own.
 */
export function formatCsv(report: Report): string {
  const baselines = [...new Set(report.comparisons.map(({ baseline }) => baseline))];
  const tested = [...new Set(report.comparisons.map(({ measure }) => measure))];
  const pColumns = baselines.flatMap((baseline) => tested.map((measure) => ({ baseline, measure })));
  const header = [
    'run',
    'query',
    ...report.measures.map(({ name }) => name),
    ...pColumns.map(({ baseline, measure }) => `p of ${measure} against ${baseline}`),
  ];
  const summaryOf = ({ file, evaluation }: ReportedRun): unknown[] => [
    file,
    'all',
    ...report.measures.map(({ name }) => evaluation.summary.get(name)),
    ...pColumns.map(
      ({ baseline, measure }) =>
        report.comparisons.find(
          (each) => each.run === file && each.baseline === baseline && each.measure === measure,
        )?.p,
    ),
  ];
  const queriesOf = ({ file, evaluation }: ReportedRun): unknown[][] =>
    evaluation.queries.map((query, row) => [
      file,
      query,
      ...report.measures.map(({ name }) => evaluation.perQuery.get(name)![row]),
      ...pColumns.map(() => undefined),
    ]);
  const rows = report.runs.flatMap((run) => [...(report.perQuery ? queriesOf(run) : []), summaryOf(run)]);
  return [header, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('');
}

/** RFC 4180: quoted where a comma, quote or line end would be misread. */
function field(value: unknown): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
