import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { concatFloats } from '../../common/concat-floats.js';
import { adamStep, gradientNorm } from '../engine/adam.js';
import { DropoutMasks } from '../engine/dropout-masks.js';
import { EmbeddingTable, Parameter } from '../engine/parameter.js';
import { openModel } from '../engine/session.js';
import type { StepOutcome } from '../engine/training-engine.js';
import { gradientOf, LOSS } from '../graph/index.js';
import { type Network, type NetworkBatch, type NetworkSettings, SCORES } from './network.js';

/** A network in memory, scored and trained by the runtime. */
export class NetworkEngine {
  readonly parameters: readonly Parameter[];
  readonly #tensors: Record<string, Tensor> = {};
  readonly #masks: DropoutMasks;

  private constructor(
    private readonly network: Network,
    private readonly settings: NetworkSettings,
    private readonly scoring: InferenceSession,
    private readonly training: InferenceSession | undefined,
  ) {
    this.parameters = network.parameters.map(({ name, shape, values, rowGradient }) => {
      const kind = rowGradient === undefined ? Parameter : EmbeddingTable;
      const parameter = new kind(name, shape, Float32Array.from(values));
      this.#tensors[name] = new Tensor('float32', parameter.values, shape);
      return parameter;
    });
    const { dropout, seed } = settings;
    this.#masks = new DropoutMasks(network.masks ?? [], dropout, seed);
  }

  static async open(network: Network, settings: NetworkSettings): Promise<NetworkEngine> {
    const { threads } = settings;
    const scoring = await openModel(network.scoring, 'cpu', threads);
    const training = network.training && (await openModel(network.training, 'cpu', threads));
    return new NetworkEngine(network, settings, scoring, training);
  }

  /** The scores of all batches, one after the other. */
  async score(batches: readonly NetworkBatch[]): Promise<Float32Array<ArrayBuffer>> {
    const parts: Float32Array[] = [];
    for (const { feeds } of batches) {
      const result = await this.scoring.run({ ...this.#tensors, ...tensorsOf(feeds) });
      // A copy: the runtime may use the memory again.
      parts.push(Float32Array.from(result[SCORES].data as Float32Array));
    }
    return concatFloats(parts);
  }

  /** Updates the parameters once, by the sum of the batches' gradients; `number` counts from 0. */
  async step(number: number, learningRate: number, batches: readonly NetworkBatch[]): Promise<StepOutcome> {
    const loss = await this.differentiate(batches, number);
    const norm = gradientNorm(this.parameters);
    if (Number.isFinite(norm)) this.#apply(number, learningRate, norm);
    return { loss, gradientNorm: norm };
  }

  /** Computes the sum of the batches' losses, and of their gradients in the parameters. */
  async differentiate(batches: readonly NetworkBatch[], number: number): Promise<number> {
    for (const parameter of this.parameters) {
      if (parameter instanceof EmbeddingTable) parameter.clearGradient();
      else parameter.gradient.fill(0);
    }
    let loss = 0;
    for (const [i, batch] of batches.entries()) {
      const { batch: sequences = 0, sequence = 0 } = batch.extent ?? {};
      const masks = this.#masks.fill(sequences, sequence, `${number} ${i}`);
      const result = await this.training!.run({ ...this.#tensors, ...tensorsOf(batch.feeds), ...masks });
      loss += (result[LOSS].data as Float32Array)[0];
      this.parameters.forEach((parameter, p) => {
        const { rowGradient } = this.network.parameters[p];
        const found = result[rowGradient ?? gradientOf(parameter.name)].data as Float32Array;
        if (parameter instanceof EmbeddingTable) {
          batch.rows?.[parameter.name]?.forEach((row, at) => {
            if (row >= 0) parameter.add(row, found, at * parameter.width);
          });
        } else {
          const { gradient } = parameter;
          for (let at = 0; at < gradient.length; at++) gradient[at] += found[at];
        }
      });
    }
    return loss;
  }

  async release(): Promise<void> {
    await this.scoring.release();
    await this.training?.release();
  }

  #apply(number: number, learningRate: number, norm: number): void {
    const { adam, biasCorrection } = this.settings;
    const [first, second] = biasCorrection
      ? [1 - adam.beta1 ** (number + 1), Math.sqrt(1 - adam.beta2 ** (number + 1))]
      : [1, 1];
    // η·(m/c₁)/(√v/c₂ + ε) = η·c₂/c₁ · m/(√v + ε·c₂)
    const settings = { ...adam, epsilon: adam.epsilon * second };
    this.parameters.forEach((parameter, p) => {
      const { rate = 1 } = this.network.parameters[p];
      adamStep([parameter], settings, (learningRate * rate * second) / first, norm);
    });
  }
}

function tensorsOf(feeds: NetworkBatch['feeds']): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { dims, data }]) => [
      name,
      data instanceof Float32Array ? new Tensor('float32', data, dims) : new Tensor('int32', data, dims),
    ]),
  );
}
