import type { Evaluation } from './evaluate.js';
import { pairedDifference, pairedTTest, type PairedDifference } from './significance/paired.js';
import { randomisationTest } from './significance/randomisation.js';
import { correct, starOf, type Correction, type Star } from './significance/p-values.js';
import { tukeyHsd } from './significance/tukey.js';
import { wilcoxonSignedRank } from './significance/wilcoxon.js';

/** Significance tests; `tukey` compares all runs at once and needs no further correction. */
export const testNames = ['t', 'wilcoxon', 'randomisation', 'tukey'] as const;
export type TestName = (typeof testNames)[number];

export const testTitles: Readonly<Record<TestName, string>> = {
  t: 'paired two-tailed t-test',
  wilcoxon: 'Wilcoxon signed-rank test',
  randomisation: 'randomisation test',
  tukey: "Tukey's HSD",
};

/** A run's evaluation under the name it has in a report. */
export interface NamedEvaluation {
  readonly name: string;
  readonly evaluation: Evaluation;
}

/** The test of one measure of a run against one baseline: the run's mean minus the baseline's. */
export interface Comparison extends PairedDifference {
  readonly run: string;
  readonly baseline: string;
  readonly measure: string;
  readonly test: TestName;
  /** Number of queries that both have; the test is made on these. */
  readonly n: number;
  /** The two-tailed p-value, corrected for the number of comparisons where that was asked for. */
  readonly p: number;
  readonly uncorrectedP: number;
  readonly star: Star;
}

export interface ComparisonOptions {
  /** `t`, as in the paper. */
  readonly test?: TestName;
  /** Over all comparisons of one measure, every run with every baseline (`none`). */
  readonly correction?: Correction;
}

/** Tests every run against every baseline, measure by measure; counts and geometric means are not tested. */
export function compareRuns(
  runs: readonly NamedEvaluation[],
  baselines: readonly NamedEvaluation[],
  { test = 't', correction = 'none' }: ComparisonOptions = {},
): Comparison[] {
  const pairs = runs.flatMap((run) =>
    baselines.filter(({ name }) => name !== run.name).map((baseline) => ({ run, baseline })),
  );
  if (pairs.length === 0) return [];
  const everyone = [...new Map([...baselines, ...runs].map((each) => [each.name, each])).values()];
  const measures = pairs[0].run.evaluation.measures.filter(({ summary }) => summary === 'mean');
  return measures.flatMap(({ name: measure }) => {
    const tukey = test === 'tukey' ? tukeyPValues(everyone, measure) : undefined;
    const pairedTest = pairedTests[test as keyof typeof pairedTests];
    const made = pairs.map(({ run, baseline }) => {
      const [a, b] = paired([run, baseline], measure);
      const p = tukey ? tukey(run.name, baseline.name) : pairedTest(a, b).p;
      return {
        run: run.name,
        baseline: baseline.name,
        measure,
        test,
        n: a.length,
        ...pairedDifference(a, b),
        uncorrectedP: p,
      };
    });
    const corrected = correct(
      made.map(({ uncorrectedP }) => uncorrectedP),
      correction,
    );
    return made.map((comparison, i) => ({ ...comparison, p: corrected[i], star: starOf(corrected[i]) }));
  });
}

const pairedTests = { t: pairedTTest, wilcoxon: wilcoxonSignedRank, randomisation: randomisationTest };

function tukeyPValues(
  systems: readonly NamedEvaluation[],
  measure: string,
): (run: string, baseline: string) => number {
  const p = tukeyHsd(paired(systems, measure));
  const row = new Map(systems.map(({ name }, i) => [name, i]));
  return (run, baseline) => p[row.get(run)!][row.get(baseline)!];
}

/** The systems' values for the queries that all of them have, in the same order. */
function paired(systems: readonly NamedEvaluation[], measure: string): number[][] {
  const columns = systems.map(({ evaluation }) => {
    const values = evaluation.perQuery.get(measure)!;
    return new Map(evaluation.queries.map((query, i) => [query, values[i]]));
  });
  const shared = [...columns[0].keys()].filter((query) => columns.every((column) => column.has(query)));
  return columns.map((column) => shared.map((query) => column.get(query)!));
}
