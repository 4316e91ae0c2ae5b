import type { Graph } from '../../bert/onnx/index.js';
import { type FeedBatch, openNetworkWorker } from '../engine/index.js';
import { readWeights } from '../engine/state-file.js';

/** A trained network in a thread of its own. */
export interface TrainedNetwork {
  /** The scores of all batches, one after the other. */
  score(batches: readonly FeedBatch[]): Promise<Float32Array>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Opens a trained network: its weights are in a file, under the names of the parameters. */
export async function openTrainedNetwork(
  file: string,
  shapes: ReadonlyMap<string, readonly number[]>,
  scoring: Graph,
  threads: number,
): Promise<TrainedNetwork> {
  const parameters = await readWeights(file, shapes);
  const settings = { epsilon: 0, dropout: 0, seed: 1, threads };
  const worker = await openNetworkWorker({ parameters, scoring }, settings);
  return { score: (batches) => worker.call('score', batches), close: () => worker.close() };
}
