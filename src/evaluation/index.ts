export { evaluate } from './evaluate.js';
export type { Evaluation, EvaluationOptions } from './evaluate.js';
export { DEFAULT_MEASURES } from './measures/catalogue.js';
export type { Measure, MeasureContext, Summary, TrecEvalVersion } from './measures/measure.js';
export { describeMeasures, parseMeasure, parseMeasures } from './measures/parse.js';
export { compareRuns, testNames } from './compare.js';
export type { Comparison, ComparisonOptions, NamedEvaluation, TestName } from './compare.js';
export { formatReport, reportFormats } from './report/format.js';
export type { ReportFormat } from './report/format.js';
export type { EvaluationReport, ReportedRun } from './report/report.js';
export { formatFixed, formatTrec } from './report/trec.js';
export {
  choose,
  publishedAlphas,
  publishedBetas,
  tuneInterpolation,
  tuningModes,
  Validation,
} from './tuning.js';
export type { InterpolatedRanker, Interpolation } from './tuning.js';
export { randomWords } from './significance/random.js';
export type { Sample, TestResult } from './significance/paired.js';
export { randomisationTest } from './significance/randomisation.js';
export type { RandomisationOptions } from './significance/randomisation.js';
export { correct, correctionTitles, STAR_LEGEND, starOf } from './significance/p-values.js';
export type { Correction, Star } from './significance/p-values.js';
export { cohensD, confidenceInterval, pairedTTest } from './significance/t-test.js';
export { tukeyHsd } from './significance/tukey.js';
export type { TukeyOptions, TukeyResult } from './significance/tukey.js';
export { wilcoxonSignedRank } from './significance/wilcoxon.js';
export type { WilcoxonOptions } from './significance/wilcoxon.js';
