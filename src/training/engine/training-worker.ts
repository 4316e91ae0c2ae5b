import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import type { MicroBatch, TrainingBatch } from './micro-batch.js';
import type { EngineSettings, Step, StepOutcome } from './training-engine.js';

export interface TrainingSetup {
  readonly settings: EngineSettings;
  /** Folder of the model to start from, file of the state to resume from, or new weights by the settings' seed. */
  readonly start: { readonly model: string } | { readonly state: string } | 'new weights';
}

/** The service of the training worker. Calls are answered in their order. */
export interface TrainingService extends WorkerService {
  /** Updates the weights by each step, up to the first whose loss or gradient is not finite. */
  steps(steps: readonly Step[]): Promise<StepOutcome[]>;
  /** Logits of all sequences, batch by batch; for the batches of a step, with the step's dropout. See TrainingEngine. */
  score(batches: readonly (MicroBatch | TrainingBatch)[], step?: number): Promise<Float32Array>;
  /** Writes weights and moments, from which training can be resumed. */
  saveState(file: string): Promise<void>;
  /** Writes the weights of a model folder. */
  saveModel(file: string): Promise<void>;
}

export type TrainingWorker = NativeWorker<TrainingService>;

/** Resolves once the model and the graphs are loaded. */
export function openTrainingWorker(setup: TrainingSetup): Promise<TrainingWorker> {
  const file = workerUrl('../training/engine/worker.js');
  return NativeWorker.start({ file, name: 'training', device: setup.settings.device, setup });
}
