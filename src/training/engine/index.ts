export { type AdamSettings, publishedAdam } from './adam.js';
export type { StepOutcome } from './engine.js';
export { type MicroBatch, padded, type PaddedBatch, type TrainingBatch } from './micro-batch.js';
export { TrainingWorker } from './training-worker.js';
