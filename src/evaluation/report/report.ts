import type { Comparison, TestName } from '../compare.js';
import type { Evaluation } from '../evaluate.js';
import type { Measure } from '../measures/measure.js';
import type { Correction } from '../significance/p-values.js';

export interface ReportedRun {
  /** The file it was read from, as the user wrote it. */
  readonly file: string;
  readonly evaluation: Evaluation;
  readonly isBaseline: boolean;
}

/** The content of an evaluation report, before layout. */
export interface EvaluationReport {
  readonly measures: readonly Measure[];
  readonly runs: readonly ReportedRun[];
  /** Every run against every baseline; runs are named by `file`. */
  readonly comparisons: readonly Comparison[];
  readonly test: TestName;
  readonly correction: Correction;
  /** Shows every query beside the summary. */
  readonly perQuery: boolean;
}
