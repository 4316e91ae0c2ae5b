import { NativeWorker, type WorkerService, workerUrl } from '../../bert/runtime/index.js';
import { type FeedBatch, type Optimisation, publishedAdam, type StepOutcome } from '../engine/index.js';
import { readTensors } from '../engine/state-file.js';
import type { DropoutMask } from '../graph/index.js';

/** A trained tensor of a network: an input of its graphs. */
export interface NetworkParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array;
  /** The factor of the learning rate (1). */
  readonly rate?: number;
  /** Of an embedding table: the output of the training graph with a gradient for every row that was used. */
  readonly rowGradient?: string;
}

/**
 * A small network beside BERT's own training: its parameters, and its graphs as ONNX models. The scoring graph gives
 * {@link SCORES}; the training graph gives the loss and `gradient of NAME` of every parameter.
 */
export interface Network {
  readonly parameters: readonly NetworkParameter[];
  readonly scoring: Uint8Array;
  /** Absent where nothing is trained. */
  readonly training?: Uint8Array;
  readonly masks?: readonly DropoutMask[];
}

/** The output of a scoring graph: a number per document. */
export const SCORES = 'scores';

export interface NetworkSettings extends Optimisation {
  readonly dropout: number;
  readonly seed: number;
  readonly threads: number;
}

export interface NetworkSetup {
  readonly network: Network;
  readonly settings: NetworkSettings;
  /** The file of a state to resume from. */
  readonly state?: string;
}

/** The service of a network's worker. Calls are answered in their order. */
export interface NetworkService extends WorkerService {
  /** The scores of all batches, one after the other. */
  score(batches: readonly FeedBatch[]): Promise<Float32Array>;
  /** Updates the parameters once, by the sum of the batches' gradients; `number` counts from 0. */
  step(number: number, learningRate: number, batches: readonly FeedBatch[]): Promise<StepOutcome>;
  saveState(file: string): Promise<void>;
  saveModel(file: string): Promise<void>;
}

/** Resolves once the graphs are loaded. */
export function openNetworkWorker(setup: NetworkSetup): Promise<NativeWorker<NetworkService>> {
  const file = workerUrl('../training/network/worker.js');
  return NativeWorker.start({ file, name: 'network', device: 'cpu', setup });
}

/** A trained network in a thread of its own. */
export interface TrainedNetwork extends Pick<NetworkService, 'score'> {
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Opens a trained network: its weights are in a file, under the names of the parameters. */
export async function openTrainedNetwork(
  file: string,
  shapes: ReadonlyMap<string, readonly number[]>,
  scoring: Uint8Array,
  threads: number,
): Promise<TrainedNetwork> {
  const parameters = Array.from(shapes, ([name, shape]) => ({ name, shape }));
  const values = await readTensors(file, parameters);
  const worker = await openNetworkWorker({
    network: { parameters: parameters.map((one, i) => ({ ...one, values: values[i] })), scoring },
    settings: { adam: publishedAdam, biasCorrection: true, dropout: 0, seed: 1, threads },
  });
  return { score: (batches) => worker.call('score', batches), close: () => worker.close() };
}
