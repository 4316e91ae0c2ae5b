import type { Graph } from '../../bert/onnx/index.js';
import { Lazy } from '../../common/lazy.js';
import { type DropoutMask, publishedAdam } from '../graph/index.js';
import { DropoutMasks } from './dropout-masks.js';
import { Engine } from './engine.js';
import type { FeedBatch } from './micro-batch.js';
import { EmbeddingTable, Parameter } from './parameter.js';
import { openModel } from './session.js';

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
 * A small network beside BERT's own training: its parameters, and its graphs, for the worker as ONNX models. The scoring
 * graph gives `SCORES`; the training graph gives the loss and `gradient of NAME` of every parameter.
 */
export interface Network<Model = Graph> {
  readonly parameters: readonly NetworkParameter[];
  readonly scoring: Model;
  /** Absent where nothing is trained. */
  readonly training?: Model | undefined;
  readonly masks?: readonly DropoutMask[];
}

export interface NetworkSettings {
  /** Adam's ε. */
  readonly epsilon: number;
  readonly dropout: number;
  readonly seed: number;
  readonly threads: number;
}

/** The engine of a network. */
export type NetworkEngine = Engine<FeedBatch>;

/** Opens the engine of a network, on the processor. Its Adam is PyTorch's and Keras', without weight decay and clipping. */
export async function openNetworkEngine(
  { parameters, scoring: scoringModel, training, masks = [] }: Network<Uint8Array>,
  { epsilon, dropout, seed, threads }: NetworkSettings,
): Promise<NetworkEngine> {
  const scoring = new Lazy(() => openModel(scoringModel, 'cpu', threads));
  await scoring.get();
  return new Engine({
    parameters: parameters.map(inTraining),
    adam: { ...publishedAdam, epsilon, weightDecay: 0, clipNorm: Infinity },
    biasCorrection: true,
    training: training && (await openModel(training, 'cpu', threads)),
    scoring,
    masks: new DropoutMasks(masks, dropout, seed),
    feedsOf: (batch) => batch,
  });
}

function inTraining({ name, shape, values, rate, rowGradient }: NetworkParameter): Parameter {
  const own = Float32Array.from(values);
  return rowGradient === undefined
    ? new Parameter(name, shape, own, rate)
    : new EmbeddingTable(name, shape, own, rate, rowGradient);
}
