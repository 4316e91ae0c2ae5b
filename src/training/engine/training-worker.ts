import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import type { EngineSettings, StepOutcome } from './engine.js';
import type { MicroBatch, TrainingBatch } from './micro-batch.js';

/** The setup of the training worker. */
export interface TrainingSetup {
  readonly settings: EngineSettings;
  /** Folder of the model to start from, or file of the state to resume from. */
  readonly start: { readonly model: string } | { readonly state: string };
}

/** The service of the training worker. */
export interface TrainingService extends WorkerService {
  step(number: number, learningRate: number, batches: readonly TrainingBatch[]): Promise<StepOutcome>;
  /** Logits of all sequences, batch by batch; for the batches of a step, with the step's dropout. */
  score(batches: readonly MicroBatch[], step?: number): Promise<Float32Array>;
  /** Writes weights and moments, from which training can be resumed. */
  saveState(file: string): Promise<void>;
  /** Writes the weights of a model folder. */
  saveModel(file: string): Promise<void>;
}

/** The main thread's side of the training worker. Calls are answered in their order. */
export class TrainingWorker {
  private constructor(private readonly worker: NativeWorker<TrainingService>) {}

  /** Resolves once the model and the graphs are loaded. */
  static async open(setup: TrainingSetup): Promise<TrainingWorker> {
    const { device } = setup.settings;
    const file = workerUrl('../training/engine/worker.js');
    return new TrainingWorker(await NativeWorker.start({ file, name: 'training', device, setup }));
  }

  step(number: number, learningRate: number, batches: readonly TrainingBatch[]): Promise<StepOutcome> {
    return this.worker.call('step', number, learningRate, batches);
  }

  score(batches: readonly MicroBatch[], step?: number): Promise<Float32Array> {
    return this.worker.call('score', batches, step);
  }

  save(method: 'saveState' | 'saveModel', file: string): Promise<void> {
    return this.worker.call(method, file);
  }

  /** Lets the calls made so far finish, then waits for the end of the thread. */
  close(): Promise<void> {
    return this.worker.close();
  }
}
