export { parseExperiment, parseStudy, readExperiment, readStudy } from './file/read.js';
export type { Estimate } from './estimate.js';
export { planStudy, type ExperimentPlan } from './plan.js';
export type { ExperimentProgress } from './progress.js';
export { runStudy, type StudyOutcome } from './run-study.js';
export type { OpenModel } from './store/models.js';
