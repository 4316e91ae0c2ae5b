export { parseExperiment, readExperiment } from './file/read.js';
export type { ExperimentFile } from './file/schema.js';
export { runExperiment, type ExperimentOutcome, type RunExperimentOptions } from './run-experiment.js';
export type { Results, SystemResult } from './results.js';
export type { ExperimentProgress } from './tracker.js';
export { tablesOf } from './tables/tables.js';
export type { Table } from './tables/table.js';
export type { ModelSettings, OpenModel } from './work/models.js';
export type { OpenedModel } from './work/stored-scorer.js';
