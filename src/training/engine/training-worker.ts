import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import type { MicroBatch } from './micro-batch.js';
import { type EngineSettings, type Step, type StepOutcome, staysOnDevice } from './training-engine.js';

/** The setup of the training worker. */
export interface TrainingSetup {
  readonly settings: EngineSettings;
  /** Folder of the model to start from, or file of the state to resume from. */
  readonly start: { readonly model: string } | { readonly state: string };
}

/** The service of the training worker. */
export interface TrainingService extends WorkerService {
  /** Updates the weights by each step, up to the first whose loss or gradient is not finite. */
  steps(steps: readonly Step[]): Promise<StepOutcome[]>;
  /** Logits of all sequences, batch by batch; for the batches of a step, with the step's dropout. */
  score(batches: readonly MicroBatch[], step?: number): Promise<Float32Array>;
  /** Writes weights and moments, from which training can be resumed. */
  saveState(file: string): Promise<void>;
  /** Writes the weights of a model folder. */
  saveModel(file: string): Promise<void>;
}

/** The main thread's side of the training worker. Calls are answered in their order. */
export class TrainingWorker {
  private constructor(
    private readonly worker: NativeWorker<TrainingService>,
    /** Calls of many steps are faster than many calls. */
    readonly prefersManySteps: boolean,
  ) {}

  /** Resolves once the model and the graphs are loaded. */
  static async open(setup: TrainingSetup): Promise<TrainingWorker> {
    const { settings } = setup;
    const { device } = settings;
    const file = workerUrl('../training/engine/worker.js');
    const worker = await NativeWorker.start<TrainingService>({ file, name: 'training', device, setup });
    return new TrainingWorker(worker, staysOnDevice(settings));
  }

  steps(steps: readonly Step[]): Promise<StepOutcome[]> {
    return this.worker.call('steps', steps);
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
