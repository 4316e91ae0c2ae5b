export { encoderFeeds, type FeedBatch, type MicroBatch, padded, type TrainingBatch } from './micro-batch.js';
export type { Network, NetworkParameter } from './network-engine.js';
export {
  isFinite,
  type Step,
  type StepOutcome,
  staysOnDevice,
  type TrainingPrecision,
} from './training-engine.js';
export { openNetworkWorker, openTrainingWorker, type TrainingWorker } from './training-worker.js';
