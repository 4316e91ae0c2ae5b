export { parseExperiment, parseStudy, readExperiment, readStudy, type Study } from './file/read.js';
export type { ExperimentFile } from './file/schema.js';
export type { ExperimentProgress } from './progress.js';
export type { Results, SystemResult } from './results.js';
export { runExperiment, type ExperimentOutcome, type RunExperimentOptions } from './run-experiment.js';
export { runStudy, type StudyOutcome } from './run-study.js';
export type { ModelSettings, OpenModel } from './store/models.js';
export type { StorableScorer } from './store/stored-scorer.js';
