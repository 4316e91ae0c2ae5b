import type { InferenceSession } from 'onnxruntime-node';
import { DropoutMasks } from '../engine/dropout-masks.js';
import { GraphEngine } from '../engine/graph-engine.js';
import type { FeedBatch } from '../engine/micro-batch.js';
import { EmbeddingTable, Parameter } from '../engine/parameter.js';
import { openModel } from '../engine/session.js';
import { type Network, type NetworkParameter, type NetworkSettings, SCORES } from './network.js';

/** A network in memory, scored and trained by the runtime. */
export class NetworkEngine extends GraphEngine {
  private constructor(
    { parameters, masks = [] }: Network,
    settings: NetworkSettings,
    private readonly scoring: InferenceSession,
    training: InferenceSession | undefined,
  ) {
    const { dropout, seed } = settings;
    super(parameters.map(inTraining), settings, new DropoutMasks(masks, dropout, seed), training);
  }

  static async open(network: Network, settings: NetworkSettings): Promise<NetworkEngine> {
    const { threads } = settings;
    const scoring = await openModel(network.scoring, 'cpu', threads);
    const training = network.training && (await openModel(network.training, 'cpu', threads));
    return new NetworkEngine(network, settings, scoring, training);
  }

  /** The scores of all batches, one after the other. */
  score(batches: readonly FeedBatch[]): Promise<Float32Array<ArrayBuffer>> {
    return this.outputs(this.scoring, SCORES, batches);
  }

  override async release(): Promise<void> {
    await super.release();
    await this.scoring.release();
  }
}

function inTraining({ name, shape, values, rate, rowGradient }: NetworkParameter): Parameter {
  const own = Float32Array.from(values);
  return rowGradient === undefined
    ? new Parameter(name, shape, own, rate)
    : new EmbeddingTable(name, shape, own, rate, rowGradient);
}
