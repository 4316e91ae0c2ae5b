export { type AdamSettings, publishedAdam } from './adam.js';
export { type MicroBatch, padded, type PaddedBatch, type TrainingBatch } from './micro-batch.js';
export {
  type EngineSettings,
  isFinite,
  type Step,
  type StepOutcome,
  type TrainingPrecision,
} from './training-engine.js';
export { TrainingWorker } from './training-worker.js';
