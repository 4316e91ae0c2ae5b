export { publishedAdam } from './adam.js';
export type { StepOutcome } from './engine.js';
export type { MicroBatch, TrainingBatch } from './micro-batch.js';
export { TrainingWorker } from './training-worker.js';
