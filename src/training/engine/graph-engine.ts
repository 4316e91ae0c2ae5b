import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { concat } from '../../common/concat.js';
import { type AdamSettings, gradientOf, LOSS } from '../graph/index.js';
import { adamStep, gradientNorm } from './adam.js';
import type { MaskSource } from './dropout-masks.js';
import type { FeedBatch } from './micro-batch.js';
import { EmbeddingTable, type Parameter, Table } from './parameter.js';
import type { Muon } from './muon.js';
import type { StepOutcome } from './training-engine.js';

export interface Optimisation {
  readonly adam: AdamSettings;
  /** Corrects Adam's moments for their start at 0, as PyTorch and Keras do and BERT's own code does not. */
  readonly biasCorrection: boolean;
}

/** Parameters in training: values, gradients and moments in memory, graphs in the runtime. */
export class GraphEngine {
  readonly #tensors: Record<string, Tensor> = {};
  /** Outputs of the first batch of a step: the parameters' gradients themselves. */
  readonly #first: Record<string, Tensor | null> = { [LOSS]: null };
  /** Outputs of later batches, which are added to the gradients. */
  readonly #later: Record<string, Tensor | null> = { [LOSS]: null };

  /** @param training The graph of the loss and its gradients; absent where nothing is trained. */
  constructor(
    readonly parameters: readonly Parameter[],
    private readonly optimisation: Optimisation,
    private readonly masks: MaskSource,
    private readonly training: InferenceSession | undefined,
    /** Updates its parameters in place of Adam. */
    private readonly muon?: Muon,
  ) {
    for (const parameter of parameters) {
      const { name, shape, values, gradient } = parameter;
      this.#tensors[name] = new Tensor('float32', values, shape);
      if (!training) continue;
      if (parameter instanceof Table) {
        this.#first[parameter.rowGradient] = this.#later[parameter.rowGradient] = null;
      }
      if (!(parameter instanceof EmbeddingTable)) {
        this.#first[gradientOf(name)] = new Tensor('float32', gradient, shape);
        this.#later[gradientOf(name)] = new Tensor('float32', new Float32Array(gradient.length), shape);
      }
    }
  }

  /** An output of a graph for all batches, one after the other; for those of a step, with the step's dropout. */
  async outputs(
    graph: InferenceSession,
    output: string,
    batches: Iterable<FeedBatch>,
    step?: number,
  ): Promise<Float32Array<ArrayBuffer>> {
    const parts: Float32Array[] = [];
    for (const batch of batches) {
      const masks = step === undefined ? {} : this.#masksOf(batch, step, parts.length);
      const result = await graph.run({ ...this.#tensors, ...tensorsOf(batch), ...masks });
      // A copy: the runtime may use the memory again.
      parts.push(Float32Array.from(result[output].data as Float32Array));
    }
    return concat(Float32Array, parts);
  }

  /** Updates the parameters once, by the sum of the batches' gradients; `number` counts from 0. */
  async step(number: number, learningRate: number, batches: Iterable<FeedBatch>): Promise<StepOutcome> {
    const loss = await this.differentiate(batches, number);
    return { loss, gradientNorm: await this.apply(number, learningRate) };
  }

  /** Computes the sum of the batches' losses, and of their gradients in the parameters. */
  async differentiate(batches: Iterable<FeedBatch>, number: number): Promise<number> {
    for (const parameter of this.parameters) {
      if (parameter instanceof EmbeddingTable) parameter.clearGradient();
    }
    let loss = 0;
    let done = 0;
    for (const batch of batches) {
      const feeds = { ...this.#tensors, ...tensorsOf(batch), ...this.#masksOf(batch, number, done) };
      const result = await this.training!.run(feeds, done === 0 ? this.#first : this.#later);
      for (const parameter of this.parameters) {
        if (done > 0 && !(parameter instanceof EmbeddingTable)) {
          add(parameter.gradient, result[gradientOf(parameter.name)]);
        }
        if (parameter instanceof Table) addRows(parameter, batch, result[parameter.rowGradient]);
      }
      loss += (result[LOSS].data as Float32Array)[0];
      done++;
    }
    return loss;
  }

  /** Updates the parameters by their gradients unless these are not finite, and gives the norm of the gradients. */
  async apply(number: number, learningRate: number): Promise<number> {
    const norm = gradientNorm(this.parameters);
    if (!Number.isFinite(norm)) return norm;
    const { adam, biasCorrection } = this.optimisation;
    const [first, second] = biasCorrection
      ? [1 - adam.beta1 ** (number + 1), Math.sqrt(1 - adam.beta2 ** (number + 1))]
      : [1, 1];
    // η·(m/c₁)/(√v/c₂ + ε) = η·c₂/c₁ · m/(√v + ε·c₂)
    const settings = { ...adam, epsilon: adam.epsilon * second };
    for (const parameter of this.parameters) {
      if (this.muon?.parameters.has(parameter)) continue;
      adamStep([parameter], settings, (learningRate * parameter.rate * second) / first, norm);
    }
    await this.muon?.step(learningRate, Math.min(1, adam.clipNorm / norm));
    return norm;
  }

  async release(): Promise<void> {
    await this.training?.release();
    await this.muon?.release();
  }

  /** The masks of a run of a graph, which follow from the numbers of the step and of the batch. */
  #masksOf({ extent }: FeedBatch, step: number, batch: number): Record<string, Tensor> {
    return this.masks.fill(extent?.batch ?? 0, extent?.sequence ?? 0, `${step} ${batch}`);
  }
}

function tensorsOf({ feeds }: FeedBatch): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { dims, data }]) => [
      name,
      data instanceof Float32Array ? new Tensor('float32', data, dims) : new Tensor('int32', data, dims),
    ]),
  );
}

function addRows(table: Table, { rows }: FeedBatch, { data }: Tensor): void {
  rows?.[table.name]?.forEach((row, at) => {
    if (row >= 0) table.add(row, data as Float32Array, at * table.width);
  });
}

function add(gradient: Float32Array, { data }: Tensor): void {
  const more = data as Float32Array;
  for (let i = 0; i < gradient.length; i++) gradient[i] += more[i];
}
