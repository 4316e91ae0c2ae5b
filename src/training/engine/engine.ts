import type { InferenceSession } from 'onnxruntime-node';
import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import {
  headOf,
  isTable,
  LOGITS,
  scoringGraph,
  TARGETS,
  TOKEN_GRADIENTS,
  trainingGraph,
  WANTED,
  WORDS,
} from '../graph/index.js';
import { DropoutMasks, type MaskSource } from './dropout-masks.js';
import { GraphEngine } from './graph-engine.js';
import { encoderFeeds, type FeedBatch, type MicroBatch, padded, type TrainingBatch } from './micro-batch.js';
import { Muon } from './muon.js';
import { EmbeddingTable, Parameter, Table } from './parameter.js';
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
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The graphs of the forward pass, by whether it has dropout. */
  readonly #scoring = new Map<boolean, InferenceSession>();

  private constructor(
    private readonly graphs: GraphEngine,
    private readonly settings: EngineSettings,
  ) {
    this.parameters = new Map(graphs.parameters.map((parameter) => [parameter.name, parameter]));
  }

  static async open(
    settings: EngineSettings,
    weight: (name: string) => Promise<Float32Array>,
    maskSource?: MaskSource,
  ): Promise<Engine> {
    const { config, loss, dropout, seed, adam, optimiser, device, threads } = settings;
    const parameters: Parameter[] = [];
    for (const [name, shape] of bertTensorShapes(config, headOf(loss))) {
      // A copy, since training changes the values.
      const values = Float32Array.from(await weight(name));
      const Kind = loss === 'masked' && name === WORDS ? Table : EmbeddingTable;
      parameters.push(
        isTable(name)
          ? new Kind(name, shape, values, 1, TOKEN_GRADIENTS)
          : new Parameter(name, shape, values),
      );
    }
    const { graph, masks } = trainingGraph(config, loss, { dropout: dropout > 0 });
    const training = await openGraph(graph, device, threads);
    const source = maskSource ?? new DropoutMasks(masks, dropout, seed);
    const muon = optimiser === 'muon' ? await Muon.open(parameters, threads) : undefined;
    const optimisation = { adam, biasCorrection: false };
    return new Engine(new GraphEngine(parameters, optimisation, source, training, muon), settings);
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
  step(batches: readonly TrainingBatch[], learningRate: number, number: number): Promise<StepOutcome> {
    return this.graphs.step(number, learningRate, eachOf(batches, trainingFeeds));
  }

  /** Computes the sum of the micro-batches' losses, and of their gradients in the parameters. */
  differentiate(batches: readonly TrainingBatch[], number: number): Promise<number> {
    return this.graphs.differentiate(eachOf(batches, trainingFeeds), number);
  }

  /** Updates the weights by the gradients unless these are not finite, and gives the norm of the gradients. */
  apply(learningRate: number): Promise<number> {
    return this.graphs.apply(0, learningRate);
  }

  async score(
    batches: readonly (MicroBatch | TrainingBatch)[],
    step?: number,
  ): Promise<Float32Array<ArrayBuffer>> {
    const isMasked = step !== undefined && this.settings.dropout > 0;
    const graph = await this.#scoringGraph(isMasked);
    const feeds = eachOf(batches, (batch) =>
      'targets' in batch ? trainingFeeds(batch) : encoderFeeds(padded(batch)),
    );
    return this.graphs.outputs(graph, LOGITS, feeds, isMasked ? step : undefined);
  }

  async release(): Promise<void> {
    await this.graphs.release();
    for (const graph of this.#scoring.values()) await graph.release();
  }

  async #scoringGraph(isMasked: boolean): Promise<InferenceSession> {
    const known = this.#scoring.get(isMasked);
    if (known) return known;
    const { config, loss, device, threads } = this.settings;
    const graph = await openGraph(scoringGraph(config, loss, { dropout: isMasked }), device, threads);
    this.#scoring.set(isMasked, graph);
    return graph;
  }
}

/** The feeds of batches, made one by one: many batches are validated at a time. */
function* eachOf<Batch>(
  batches: readonly Batch[],
  feedsOf: (batch: Batch) => FeedBatch,
): Generator<FeedBatch> {
  for (const batch of batches) yield feedsOf(batch);
}

function trainingFeeds(batch: TrainingBatch): FeedBatch {
  const { targets, columns } = batch;
  const whole = padded(batch);
  const { feeds, ...others } = encoderFeeds(whole);
  const dims = [targets.length / columns, columns];
  const wanted = whole.wanted && { [WANTED]: { dims: [whole.wanted.length], data: whole.wanted } };
  return { ...others, feeds: { ...feeds, [TARGETS]: { dims, data: targets }, ...wanted } };
}
