export { publishedAdam } from './adam.js';
export type { Optimisation } from './graph-engine.js';
export {
  encoderFeeds,
  type FeedBatch,
  type MicroBatch,
  padded,
  type PaddedBatch,
  type TrainingBatch,
} from './micro-batch.js';
export {
  type EngineSettings,
  isFinite,
  type Step,
  type StepOutcome,
  staysOnDevice,
  type TrainingPrecision,
} from './training-engine.js';
export { openTrainingWorker, type TrainingWorker } from './training-worker.js';
