export { evaluate, type Evaluation, type EvaluationOptions, poolEvaluations } from './evaluate.js';
export { DEFAULT_MEASURES } from './measures/catalogue.js';
export type { Measure } from './measures/measure.js';
export { describeMeasures, parseMeasure, parseMeasures } from './measures/parse.js';
export { compareRuns, type Comparison, type NamedEvaluation, testNames, testTitles } from './compare.js';
export { formatReport, reportFormats } from './report/format.js';
export type { EvaluationReport, ReportedRun } from './report/report.js';
export { correctionNote, letterOf, marksOf, measureCell, summaryCell } from './report/tables.js';
export { formatFixed, formatTrec } from './report/trec.js';
export {
  choose,
  type InterpolatedRanker,
  type Interpolation,
  publishedAlphas,
  publishedBetas,
  tuneInterpolation,
  tuningModes,
  Validation,
} from './tuning.js';
export { randomWords } from './significance/random.js';
export { correct, STAR_LEGEND, starOf } from './significance/p-values.js';
export { pairedTTest } from './significance/paired.js';
