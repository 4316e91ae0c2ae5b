import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { concat } from '../../common/concat.js';
import type { Lazy } from '../../common/lazy.js';
import { type AdamSettings, gradientOf, LOSS, SCORES } from '../graph/index.js';
import { adamStep, gradientNorm } from './adam.js';
import type { MaskSource } from './dropout-masks.js';
import type { FeedBatch } from './micro-batch.js';
import type { Muon } from './muon.js';
import { EmbeddingTable, type Parameter, Table } from './parameter.js';
import { isFinite, type Step, type StepOutcome, type TrainingEngine } from './training-engine.js';

/** The parts of an engine: the tensors, the graphs, and what these are fed with. */
export interface EngineParts<Batch> {
  readonly parameters: readonly Parameter[];
  readonly adam: AdamSettings;
  /** Corrects Adam's moments for their start at 0, as PyTorch and Keras do and BERT's own code does not. */
  readonly biasCorrection: boolean;
  /** Updates its parameters in place of Adam. */
  readonly muon?: Muon | undefined;
  /** The graph of the loss and its gradients; absent where nothing is trained. */
  readonly training: InferenceSession | undefined;
  readonly scoring: Lazy<InferenceSession>;
  /** Absent where there is no dropout. */
  readonly scoringWithDropout?: Lazy<InferenceSession> | undefined;
  readonly masks: MaskSource;
  readonly feedsOf: (batch: Batch) => FeedBatch;
}

/** A model in training outside of CUDA: values, gradients and moments in memory, graphs in the runtime. */
export class Engine<Batch> implements TrainingEngine<Batch, Batch> {
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly #tensors: Record<string, Tensor> = {};
  /** Outputs of the first batch of a step: the parameters' gradients themselves. */
  readonly #first: Record<string, Tensor | null> = { [LOSS]: null };
  /** Outputs of later batches, which are added to the gradients. */
  readonly #later: Record<string, Tensor | null> = { [LOSS]: null };

  constructor(private readonly parts: EngineParts<Batch>) {
    const { parameters, training } = parts;
    this.parameters = new Map(parameters.map((parameter) => [parameter.name, parameter]));
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

  async steps(steps: readonly Step<Batch>[]): Promise<StepOutcome[]> {
    const outcomes: StepOutcome[] = [];
    for (const step of steps) {
      outcomes.push(await this.step(step));
      if (!isFinite(outcomes.at(-1)!)) break;
    }
    return outcomes;
  }

  async step({ number, learningRate, batches }: Step<Batch>): Promise<StepOutcome> {
    const loss = await this.differentiate(batches, number);
    return { loss, gradientNorm: await this.apply(learningRate, number) };
  }

  /** Computes the sum of the batches' losses, and of their gradients in the parameters. */
  async differentiate(batches: readonly Batch[], number: number): Promise<number> {
    const { parameters, training, feedsOf } = this.parts;
    for (const parameter of parameters) {
      if (parameter instanceof EmbeddingTable) parameter.clearGradient();
    }
    let loss = 0;
    for (const [i, each] of batches.entries()) {
      const batch = feedsOf(each);
      const feeds = { ...this.#tensors, ...tensorsOf(batch), ...this.#masksOf(batch, number, i) };
      const result = await training!.run(feeds, i === 0 ? this.#first : this.#later);
      for (const parameter of parameters) {
        if (i > 0 && !(parameter instanceof EmbeddingTable)) {
          add(parameter.gradient, result[gradientOf(parameter.name)]);
        }
        if (parameter instanceof Table) addRows(parameter, batch, result[parameter.rowGradient]);
      }
      loss += (result[LOSS].data as Float32Array)[0];
    }
    return loss;
  }

  /** Updates the parameters by their gradients unless these are not finite, and gives the norm of the gradients. */
  async apply(learningRate: number, number: number): Promise<number> {
    const { parameters, adam, biasCorrection, muon } = this.parts;
    const norm = gradientNorm(parameters);
    if (!Number.isFinite(norm)) return norm;
    const [first, second] = biasCorrection
      ? [1 - adam.beta1 ** (number + 1), Math.sqrt(1 - adam.beta2 ** (number + 1))]
      : [1, 1];
    // η·(m/c₁)/(√v/c₂ + ε) = η·c₂/c₁ · m/(√v + ε·c₂)
    const settings = { ...adam, epsilon: adam.epsilon * second };
    for (const parameter of parameters) {
      if (muon?.parameters.has(parameter)) continue;
      adamStep(parameter, settings, (learningRate * parameter.rate * second) / first, norm);
    }
    await muon?.step(learningRate, Math.min(1, adam.clipNorm / norm));
    return norm;
  }

  async score(batches: readonly Batch[], step?: number): Promise<Float32Array<ArrayBuffer>> {
    const { scoring, scoringWithDropout, feedsOf } = this.parts;
    const graph = await ((step !== undefined && scoringWithDropout) || scoring).get();
    const found: Float32Array[] = [];
    for (const [i, each] of batches.entries()) {
      const batch = feedsOf(each);
      const masks = step === undefined ? {} : this.#masksOf(batch, step, i);
      const result = await graph.run({ ...this.#tensors, ...tensorsOf(batch), ...masks });
      // A copy: the runtime may use the memory again.
      found.push(Float32Array.from(result[SCORES].data as Float32Array));
    }
    return concat(Float32Array, found);
  }

  async release(): Promise<void> {
    const { training, muon, scoring, scoringWithDropout } = this.parts;
    for (const one of [training, muon, await scoring.take(), await scoringWithDropout?.take()]) {
      await one?.release();
    }
  }

  /** The masks of a run of a graph, which follow from the numbers of the step and of the batch. */
  #masksOf({ extent }: FeedBatch, step: number, batch: number): Record<string, Tensor> {
    return this.parts.masks.fill(extent?.batch ?? 0, extent?.sequence ?? 0, `${step} ${batch}`);
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
