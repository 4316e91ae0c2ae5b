import { modelBytes } from '../../bert/onnx/index.js';
import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import type { FeedBatch, MicroBatch, TrainingBatch } from './micro-batch.js';
import type { Network, NetworkSettings } from './network-engine.js';
import type { EngineSettings, TrainingEngine } from './training-engine.js';

/** What a worker trains: a BERT or a small network. */
export interface TrainingSetup {
  readonly settings: EngineSettings;
  /** Folder of the model to start from, file of the state to resume from, or new weights by the settings' seed. */
  readonly start: { readonly model: string } | { readonly state: string } | 'new weights';
}

export interface NetworkSetup {
  readonly settings: NetworkSettings;
  readonly network: Network<Uint8Array>;
  /** The file of a state to resume from. */
  readonly state?: string | undefined;
}

/** The service of a worker that trains. Calls are answered in their order. */
export interface TrainingService<Batch = TrainingBatch, Scored = MicroBatch | TrainingBatch>
  extends Pick<TrainingEngine<Batch, Scored>, 'steps' | 'score'>, WorkerService {
  /** Writes weights and moments, from which training can be resumed. */
  saveState(file: string): Promise<void>;
  /** Writes the weights of a model folder. */
  saveModel(file: string): Promise<void>;
}

export type TrainingWorker = NativeWorker<TrainingService>;
export type NetworkWorker = NativeWorker<TrainingService<FeedBatch, FeedBatch>>;

/** Resolves once the model and the graphs are loaded. */
export function openTrainingWorker(setup: TrainingSetup): Promise<TrainingWorker> {
  return NativeWorker.start({ file: workerFile(), name: 'training', device: setup.settings.device, setup });
}

/** Resolves once the graphs are loaded. */
export async function openNetworkWorker(
  network: Network,
  settings: NetworkSettings,
  state?: string,
): Promise<NetworkWorker> {
  const scoring = await modelBytes(network.scoring);
  const training = network.training && (await modelBytes(network.training));
  const setup: NetworkSetup = { settings, network: { ...network, scoring, training }, state };
  return NativeWorker.start({ file: workerFile(), name: 'network', device: 'cpu', setup });
}

function workerFile(): URL {
  return workerUrl('../training/engine/worker.js');
}
