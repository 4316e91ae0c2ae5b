import type { StepOutcome, TrainingWorker } from './engine/index.js';
import type { TrainingManifest } from './outcome.js';

/** What a training learns from, step by step. What a step sees follows from its number and the seed alone. */
export interface Lessons {
  /** What the loss looks at together, in an epoch; 0 where there is nothing to learn. */
  readonly size: number;
  readonly examplesPerStep: number;
  /** How much there is to learn from. */
  readonly found: TrainingManifest['examples'];
  /** Steps that see everything so many times. */
  stepsIn(epochs: number): number;
  /** Learns from a step's share, steps counted from 0. */
  take(worker: TrainingWorker, step: number, learningRate: number): Promise<StepOutcome>;
}
