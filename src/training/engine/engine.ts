import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import {
  gradientOf,
  isTable,
  LOGITS,
  LOSS,
  POSITIONS,
  scoringGraph,
  TARGETS,
  TOKEN_GRADIENTS,
  trainingGraph,
  TYPES,
  WORDS,
} from '../graph/index.js';
import { adamStep, gradientNorm } from './adam.js';
import { DropoutMasks, type MaskSource } from './dropout-masks.js';
import { batchFeeds } from './feeds.js';
import { type MicroBatch, padded, type PaddedBatch, type TrainingBatch } from './micro-batch.js';
import { Parameter, EmbeddingTable } from './parameter.js';
import { openGraph } from './session.js';
import {
  type EngineSettings,
  isFinite,
  type Step,
  type StepOutcome,
  type TrainingEngine,
} from './training-engine.js';

/** A model in training: weights, gradients and moments in memory, graphs in the runtime. */
export class Engine implements TrainingEngine {
  readonly #tensors: Record<string, Tensor> = {};
  /** Outputs of the first micro-batch of a step: the parameters' gradients themselves. */
  readonly #first: Record<string, Tensor> = {};
  /** Outputs of later micro-batches, which are added to the gradients. */
  readonly #later: Record<string, Tensor> = {};
  #tokenGradients = new Float32Array(0);
  /** The sessions of the forward pass, by whether it has dropout. */
  readonly #scoring = new Map<boolean, InferenceSession>();

  private constructor(
    readonly parameters: ReadonlyMap<string, Parameter>,
    private readonly settings: EngineSettings,
    private readonly training: InferenceSession,
    private readonly masks: MaskSource,
  ) {
    for (const { name, shape, values, gradient } of parameters.values()) {
      this.#tensors[name] = new Tensor('float32', values, shape);
      if (isTable(name)) continue;
      this.#first[gradientOf(name)] = new Tensor('float32', gradient, shape);
      this.#later[gradientOf(name)] = new Tensor('float32', new Float32Array(gradient.length), shape);
    }
  }

  static async open(
    settings: EngineSettings,
    weight: (name: string) => Promise<Float32Array>,
    maskSource?: MaskSource,
  ): Promise<Engine> {
    const { config, loss, dropout, seed, device, threads } = settings;
    const parameters = new Map<string, Parameter>();
    for (const [name, shape] of bertTensorShapes(config)) {
      // A copy, since training changes the values.
      const values = Float32Array.from(await weight(name));
      parameters.set(name, new (isTable(name) ? EmbeddingTable : Parameter)(name, shape, values));
    }
    const { graph, masks } = trainingGraph(config, loss, { dropout: dropout > 0 });
    const session = await openGraph(graph, device, threads);
    return new Engine(parameters, settings, session, maskSource ?? new DropoutMasks(masks, dropout, seed));
  }

  async steps(steps: readonly Step[]): Promise<StepOutcome[]> {
    const outcomes: StepOutcome[] = [];
    for (const { number, learningRate, batches } of steps) {
      outcomes.push(await this.step(batches, learningRate, number));
      if (!isFinite(outcomes.at(-1)!)) break;
    }
    return outcomes;
  }

  /** Updates the weights once, by the sum of the micro-batches' gradients. */
  async step(batches: readonly TrainingBatch[], learningRate: number, number: number): Promise<StepOutcome> {
    const loss = await this.differentiate(batches, number);
    return { loss, gradientNorm: this.apply(learningRate) };
  }

  /** Computes the sum of the micro-batches' losses, and of their gradients in the parameters. */
  async differentiate(batches: readonly TrainingBatch[], number: number): Promise<number> {
    for (const parameter of this.parameters.values()) {
      if (parameter instanceof EmbeddingTable) parameter.clearGradient();
    }
    let loss = 0;
    for (const [i, batch] of batches.entries()) {
      loss += await this.#accumulate(batch, runOf(number, i), i === 0);
    }
    return loss;
  }

  /** Updates the weights by the gradients unless these are not finite, and gives the norm of the gradients. */
  apply(learningRate: number): number {
    const parameters = [...this.parameters.values()];
    const norm = gradientNorm(parameters);
    if (Number.isFinite(norm)) adamStep(parameters, this.settings.adam, learningRate, norm);
    return norm;
  }

  async score(batches: readonly MicroBatch[], step?: number): Promise<Float32Array<ArrayBuffer>> {
    const { config, dropout } = this.settings;
    const isMasked = step !== undefined && dropout > 0;
    const session = await this.#scoringSession(isMasked);
    const sequences = batches.reduce((sum, { lengths }) => sum + lengths.length, 0);
    const logits = new Float32Array(sequences * config.labels);
    let at = 0;
    for (const [i, batch] of batches.entries()) {
      const filled = padded(batch);
      const masks = isMasked ? this.masks.fill(filled.batch, filled.sequence, runOf(step, i)) : {};
      const result = await session.run({ ...this.#tensors, ...batchFeeds(filled), ...masks });
      const found = result[LOGITS].data as Float32Array;
      logits.set(found, at);
      at += found.length;
    }
    return logits;
  }

  async release(): Promise<void> {
    await this.training.release();
    for (const session of this.#scoring.values()) await session.release();
  }

  async #scoringSession(isMasked: boolean): Promise<InferenceSession> {
    const known = this.#scoring.get(isMasked);
    if (known) return known;
    const { config, device, threads } = this.settings;
    const session = await openGraph(scoringGraph(config, { dropout: isMasked }), device, threads);
    this.#scoring.set(isMasked, session);
    return session;
  }

  async #accumulate(batch: TrainingBatch, run: string, isFirst: boolean): Promise<number> {
    const filled = padded(batch);
    const { targets, columns } = batch;
    const rows = this.#rows(filled.batch * filled.sequence);
    const fetches = isFirst ? this.#first : this.#later;
    const result = await this.training.run(
      {
        ...this.#tensors,
        ...batchFeeds(filled),
        ...this.masks.fill(filled.batch, filled.sequence, run),
        [TARGETS]: new Tensor('float32', targets, [targets.length / columns, columns]),
      },
      { ...fetches, [TOKEN_GRADIENTS]: rows, [LOSS]: null },
    );
    if (!isFirst) this.#addLater();
    this.#scatter(filled, rows.data as Float32Array);
    return (result[LOSS].data as Float32Array)[0];
  }

  #addLater(): void {
    for (const { name, gradient } of this.parameters.values()) {
      if (isTable(name)) continue;
      const more = this.#later[gradientOf(name)].data as Float32Array;
      for (let i = 0; i < gradient.length; i++) gradient[i] += more[i];
    }
  }

  /** Adds every token's gradient to the rows of its word, position and segment. */
  #scatter({ batch, sequence, ids, segments, padding }: PaddedBatch, rows: Float32Array): void {
    const [words, positions, types] = [WORDS, POSITIONS, TYPES].map(
      (name) => this.parameters.get(name) as EmbeddingTable,
    );
    const { width } = words;
    for (let token = 0; token < batch * sequence; token++) {
      if (padding[token] !== 0) continue;
      words.add(ids[token], rows, token * width);
      positions.add(token % sequence, rows, token * width);
      types.add(segments[token], rows, token * width);
    }
  }

  #rows(tokens: number): Tensor {
    const { hidden } = this.settings.config;
    if (this.#tokenGradients.length < tokens * hidden)
      this.#tokenGradients = new Float32Array(tokens * hidden);
    return new Tensor('float32', this.#tokenGradients.subarray(0, tokens * hidden), [tokens, hidden]);
  }
}

/** The key of a run of the graph, which determines its dropout. */
function runOf(step: number, batch: number): string {
  return `${step} ${batch}`;
}
