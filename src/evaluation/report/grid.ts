import type { Comparison, TestName } from '../compare.js';
import type { Measure } from '../measures/measure.js';
import { STAR_LEGEND } from '../significance/stars.js';
import { formatFixed } from './fixed.js';
import { labelsOf } from './labels.js';
import type { Report, ReportedRun } from './report.js';

export interface Cell {
  readonly text: string;
  /** Stars, with the baseline's letter where there are several. */
  readonly marks?: string;
  /** The best of its column. */
  readonly best?: boolean;
}

/** A table before any typography: the same for terminal, Markdown and LaTeX. */
export interface Grid {
  readonly title?: string;
  readonly header: readonly string[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly Cell[] }[];
  /** Sentences below the table. */
  readonly notes: readonly string[];
}

const DIGITS = 4;

/** The tables of a report: per query where asked for, the summary, and what was tested against each baseline. */
export function gridsOf(given: Report): Grid[] {
  // What others are compared with is read first.
  const report = {
    ...given,
    runs: given.runs.toSorted((a, b) => Number(b.isBaseline) - Number(a.isBaseline)),
  };
  const labels = labelsOf(report.runs.map(({ file }) => file));
  const perQuery = report.perQuery ? report.runs.map((run) => queryGrid(run, report, labels)) : [];
  return [...perQuery, summaryGrid(report, labels), ...comparisonGrids(report, labels)];
}

type Labels = ReadonlyMap<string, string>;

function queryGrid({ file, evaluation }: ReportedRun, { measures }: Report, labels: Labels): Grid {
  return {
    title: labels.get(file)!,
    header: ['query', ...measures.map(({ name }) => name)],
    rows: evaluation.queries.map((query, row) => ({
      label: query,
      cells: measures.map((measure) => ({
        text: formatValue(measure, evaluation.perQuery.get(measure.name)![row]),
      })),
    })),
    notes: [],
  };
}

function summaryGrid(report: Report, labels: Labels): Grid {
  const { measures, runs, comparisons } = report;
  const letters = lettersOf(runs);
  const columns = measures.map((measure) => {
    const texts = runs.map(({ evaluation }) => formatValue(measure, evaluation.summary.get(measure.name)!));
    const best = measure.isCount || runs.length < 2 ? undefined : bestOf(texts);
    return texts.map((text, i) => ({
      text,
      marks: comparisons
        .filter(({ run, measure: tested, star }) => run === runs[i].file && tested === measure.name && star)
        .map(({ baseline, star }) => (letters.size > 1 ? ` ${letters.get(baseline)}${star}` : star))
        .join(''),
      best: text === best,
    }));
  });
  return {
    header: ['run', ...measures.map(({ name }) => name)],
    rows: runs.map(({ file, isBaseline }, i) => ({
      label: `${labels.get(file)}${isBaseline ? ` (baseline${letterNote(letters, file)})` : ''}`,
      cells: columns.map((column) => column[i]),
    })),
    notes: [],
  };
}

/** a, b, … for the baselines, in order. */
function lettersOf(runs: readonly ReportedRun[]): Map<string, string> {
  const baselines = runs.filter(({ isBaseline }) => isBaseline);
  return new Map(baselines.map(({ file }, i) => [file, String.fromCodePoint(97 + i)]));
}

function letterNote(letters: ReadonlyMap<string, string>, file: string): string {
  return letters.size > 1 ? ` ${letters.get(file)}` : '';
}

/** Values that print the same are equally good. */
function bestOf(texts: readonly string[]): string {
  return texts.reduce((best, text) => (Number(text) > Number(best) ? text : best));
}

function formatValue({ isCount }: Measure, value: number): string {
  return isCount ? String(value) : formatFixed(value, DIGITS);
}

function comparisonGrids({ runs, comparisons, test, correction }: Report, labels: Labels): Grid[] {
  const tested = [...new Set(comparisons.map(({ measure }) => measure))];
  const baselines = runs.filter(({ file }) => comparisons.some(({ baseline }) => baseline === file));
  const letters = lettersOf(runs);
  return baselines.map(({ file }) => {
    const against = comparisons.filter(({ baseline }) => baseline === file);
    const rows = runs
      .map((run) => ({ run, made: against.filter((comparison) => comparison.run === run.file) }))
      .filter(({ made }) => made.length > 0);
    return {
      title: `difference from ${labels.get(file)}${letterNote(letters, file)}, and p`,
      header: ['run', ...tested],
      rows: rows.map(({ run, made }) => ({
        label: labels.get(run.file)!,
        cells: made.map(formatComparison),
      })),
      notes: [
        `${testTitles[test]}, two-tailed, ${queriesNote(against)}` +
          `${correction === 'none' ? '' : `, ${correctionTitles[correction]} correction`}; ` +
          `up or down, ${STAR_LEGEND}`,
      ],
    };
  });
}

function formatComparison({ difference, p, star }: Comparison): Cell {
  const sign = difference < 0 ? '-' : '+';
  const size = formatFixed(Math.abs(difference), DIGITS);
  return { text: `${sign}${size} ${formatP(p)}`, marks: star };
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

const testTitles: Readonly<Record<TestName, string>> = {
  t: 'paired t-test',
  wilcoxon: 'Wilcoxon signed-rank test',
  randomisation: 'randomisation test',
  tukey: "Tukey's HSD over all runs",
};

const correctionTitles = { holm: 'Holm', bonferroni: 'Bonferroni' } as const;
