import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import type { StepOutcome } from '../engine/index.js';
import type { NetworkSettings } from './engine.js';
import type { Network, NetworkBatch } from './network.js';

/** The setup of a network's worker. */
export interface NetworkSetup {
  readonly network: Network;
  readonly settings: NetworkSettings;
  /** The file of a state to resume from. */
  readonly state?: string;
}

/** The service of a network's worker. */
export interface NetworkService extends WorkerService {
  score(batches: readonly NetworkBatch[]): Promise<Float32Array>;
  step(number: number, learningRate: number, batches: readonly NetworkBatch[]): Promise<StepOutcome>;
  saveState(file: string): Promise<void>;
  saveModel(file: string): Promise<void>;
}

/** The main thread's side of a network's worker. Calls are answered in their order. */
export class NetworkWorker {
  private constructor(private readonly worker: NativeWorker<NetworkService>) {}

  /** Resolves once the graphs are loaded. */
  static async open(setup: NetworkSetup): Promise<NetworkWorker> {
    const file = workerUrl('../training/network/worker.js');
    return new NetworkWorker(await NativeWorker.start({ file, name: 'network', device: 'cpu', setup }));
  }

  score(batches: readonly NetworkBatch[]): Promise<Float32Array> {
    return this.worker.call('score', batches);
  }

  step(number: number, learningRate: number, batches: readonly NetworkBatch[]): Promise<StepOutcome> {
    return this.worker.call('step', number, learningRate, batches);
  }

  save(method: 'saveState' | 'saveModel', file: string): Promise<void> {
    return this.worker.call(method, file);
  }

  /** Lets the calls made so far finish, then waits for the end of the thread. */
  close(): Promise<void> {
    return this.worker.close();
  }
}
