import { type Cell, markBest, type Row, type Table } from '../../common/table/table.js';
import { type Comparison, type TestName, testTitles } from '../compare.js';
import type { Measure } from '../measures/measure.js';
import type { Evaluation } from '../evaluate.js';
import { type Correction, correctionTitles, STAR_LEGEND } from '../significance/p-values.js';
import { formatFixed } from './trec.js';
import type { EvaluationReport, ReportedRun } from './report.js';

const DIGITS = 4;

/** The tables of a report: one per run with all queries where asked for, the summary, one per baseline with tests. */
export function reportTables(given: EvaluationReport): Table[] {
  // Baselines come first.
  const report = {
    ...given,
    runs: given.runs.toSorted((a, b) => Number(b.isBaseline) - Number(a.isBaseline)),
  };
  const labels = labelsOf(report.runs.map(({ file }) => file));
  const perQuery = report.perQuery ? report.runs.map((run) => queryTable(run, report, labels)) : [];
  return [...perQuery, summaryTable(report, labels), ...comparisonTables(report, labels)];
}

type Labels = ReadonlyMap<string, string>;

/** Short names of files, without folder and usual extensions, unless two would be the same. */
export function labelsOf(files: readonly string[]): Map<string, string> {
  const short = files.map((file) => {
    const base = file.split(/[/\\]/).at(-1)!.replace(/\.gz$/, '');
    return base.replace(/(?<=.)\.(run|res|results|trec|txt)$/, '') || file;
  });
  const distinct = new Set(short).size === new Set(files).size;
  return new Map(files.map((file, i) => [file, distinct ? short[i] : file]));
}

function queryTable(
  { file, evaluation }: ReportedRun,
  { measures }: EvaluationReport,
  labels: Labels,
): Table {
  const rows = evaluation.queries.map((query, row) => ({
    label: query,
    cells: measures.map((measure) => measureCell(measure, evaluation.perQuery.get(measure.name)![row])),
  }));
  return {
    id: 'queries',
    title: labels.get(file)!,
    columns: ['query', ...measures.map(({ name }) => name)],
    groups: [rows],
    notes: [],
  };
}

function summaryTable({ measures, runs, comparisons }: EvaluationReport, labels: Labels): Table {
  const letters = lettersOf(runs);
  const rows = runs.map(({ file, isBaseline, evaluation }): Row => ({
    label: `${labels.get(file)}${isBaseline ? ` (baseline${letterNote(letters, file)})` : ''}`,
    cells: measures.map((measure) => ({
      ...summaryCell(measure, evaluation),
      marks: marksOf(file, measure, comparisons, [...letters.keys()]),
    })),
  }));
  const compared = measures.flatMap(({ isCount }, column) => (isCount || runs.length < 2 ? [] : [column]));
  return {
    id: 'summary',
    title: '',
    columns: ['run', ...measures.map(({ name }) => name)],
    groups: markBest([rows], compared),
    notes: [],
  };
}

/** Letters a, b, … of the baselines, in order. */
function lettersOf(runs: readonly ReportedRun[]): Map<string, string> {
  const baselines = runs.filter(({ isBaseline }) => isBaseline);
  return new Map(baselines.map(({ file }, i) => [file, letterOf(i)]));
}

function letterNote(letters: ReadonlyMap<string, string>, file: string): string {
  return letters.size > 1 ? ` ${letters.get(file)}` : '';
}

/** A value of a measure, with four decimals unless it is a count. */
export function measureCell({ isCount }: Pick<Measure, 'isCount'>, value: number): Cell {
  return { text: isCount ? String(value) : formatFixed(value, DIGITS), value };
}

/** The value of a measure over all queries. */
export function summaryCell(measure: Measure, { summary }: Evaluation): Cell {
  return measureCell(measure, summary.get(measure.name)!);
}

/** The stars of a run against each baseline, with its letter where there are several; `before` gives what precedes a star. */
export function marksOf(
  run: string,
  measure: Measure,
  comparisons: readonly Comparison[],
  baselines: readonly string[],
  before: (comparison: Comparison) => string = () => '',
): string {
  return baselines
    .map((baseline, i) => {
      const found = comparisons.find(
        (each) => each.run === run && each.baseline === baseline && each.measure === measure.name,
      );
      if (!found?.star) return '';
      return `${baselines.length > 1 ? ` ${letterOf(i)}` : ''}${before(found)}${found.star}`;
    })
    .join('');
}

/** The letter of a baseline: a, b, … */
export function letterOf(baseline: number): string {
  return String.fromCodePoint(97 + baseline);
}

/** The correction of the p-values, as an end of a sentence. */
export function correctionNote(correction: Correction): string {
  return correction === 'none' ? '' : `, ${correctionTitles[correction]} correction`;
}

function comparisonTables(
  { runs, comparisons, test, correction }: EvaluationReport,
  labels: Labels,
): Table[] {
  const tested = [...new Set(comparisons.map(({ measure }) => measure))];
  const baselines = runs.filter(({ file }) => comparisons.some(({ baseline }) => baseline === file));
  const letters = lettersOf(runs);
  return baselines.map(({ file }) => {
    const against = comparisons.filter(({ baseline }) => baseline === file);
    const rows = runs
      .map((run) => ({ run, made: against.filter((comparison) => comparison.run === run.file) }))
      .filter(({ made }) => made.length > 0);
    return {
      id: 'differences',
      title: `difference from ${labels.get(file)}${letterNote(letters, file)}, its 95 % confidence interval, and p`,
      columns: ['run', ...tested],
      groups: [
        rows.map(({ run, made }) => ({ label: labels.get(run.file)!, cells: made.map(comparisonCell) })),
      ],
      notes: [
        `${titles[test]}, two-tailed, ${queriesNote(against)}${correctionNote(correction)}; ` +
          `up or down, ${STAR_LEGEND}`,
      ],
    };
  });
}

function comparisonCell({ difference, interval, p, star }: Comparison): Cell {
  const sign = difference < 0 ? '-' : '+';
  const size = formatFixed(Math.abs(difference), DIGITS);
  // The interval lies evenly around the difference; a single query has none.
  const margin = interval[1] - difference;
  const around = Number.isNaN(margin) ? '' : ` ±${formatFixed(margin, DIGITS)}`;
  return { text: `${sign}${size}${around} ${formatP(p)}`, value: difference, marks: star };
}

function formatP(p: number): string {
  if (Number.isNaN(p)) return 'p n/a';
  return p < 0.0001 ? 'p<.0001' : `p=${formatFixed(p, DIGITS).replace(/^0/, '')}`;
}

function queriesNote(comparisons: readonly Comparison[]): string {
  const sizes = comparisons.map(({ n }) => n);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return `n = ${least === most ? least : `${least} to ${most}`} queries`;
}

const titles: Readonly<Record<TestName, string>> = {
  ...testTitles,
  t: 'paired t-test',
  tukey: `${testTitles.tukey} over all runs`,
};
