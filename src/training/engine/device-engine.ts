import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import { isOutOfMemory } from '../../bert/runtime/index.js';
import { BertQeError } from '../../common/errors.js';
import {
  groupShape,
  type ParameterGroup,
  LOGITS,
  LOSS,
  parameterGroups,
  RUN,
  scoringLoopGraph,
  STATE,
  stateName,
  trainingLoopGraph,
} from '../graph/index.js';
import type { EngineSettings, StepOutcome } from './engine.js';
import { halves, type MicroBatch, padded, type TrainingBatch } from './micro-batch.js';
import { openGraph } from './session.js';

/** A training step, for a run of several. */
export interface Step {
  readonly learningRate: number;
  readonly batches: readonly TrainingBatch[];
}

/** A weight tensor and its moments: parts of the arrays of its group. */
interface DeviceParameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly values: Float32Array<ArrayBuffer>;
  readonly m: Float32Array<ArrayBuffer>;
  readonly v: Float32Array<ArrayBuffer>;
}

/** The factor of the loss in the first step, in 16 bits. */
const FIRST_SCALE = 2 ** 16;

/** A model in training whose weights and moments stay on a device for as many steps as a run has. */
export class DeviceEngine {
  readonly parameters: ReadonlyMap<string, DeviceParameter>;
  readonly #groups: readonly ParameterGroup[];
  readonly #states: Record<string, Tensor> = {};
  /** Results are written over what they were computed from. */
  readonly #results: Record<string, Tensor> = {};
  #scale: number;
  #good = 0n;
  #scoring: InferenceSession | undefined;

  private constructor(
    private readonly settings: EngineSettings,
    private readonly training: InferenceSession,
  ) {
    const { config, precision } = settings;
    this.#groups = parameterGroups(config);
    this.#scale = precision === 'fp16' ? FIRST_SCALE : 1;
    const shapes = bertTensorShapes(config);
    const parameters = new Map<string, DeviceParameter>();
    for (const group of this.#groups) {
      const arrays = STATE.map((array) => {
        const values = new Float32Array(group.size);
        const tensor = new Tensor('float32', values, groupShape(group));
        this.#states[stateName(group, array)] = tensor;
        this.#results[`new ${stateName(group, array)}`] = tensor;
        return values;
      });
      let from = 0;
      group.members.forEach((name, i) => {
        const to = from + group.sizes[i];
        const [values, m, v] = arrays.map((array) => array.subarray(from, to));
        parameters.set(name, { name, shape: shapes.get(name)!, values, m, v });
        from = to;
      });
    }
    this.parameters = parameters;
  }

  static async open(
    settings: EngineSettings,
    weight: (name: string) => Promise<Float32Array>,
  ): Promise<DeviceEngine> {
    const { device, threads } = settings;
    const session = await openGraph(trainingLoopGraph(graphOptions(settings)), device, threads);
    const engine = new DeviceEngine(settings, session);
    for (const { name, values } of engine.parameters.values()) values.set(await weight(name));
    return engine;
  }

  /** Updates the weights by each step in turn. Ends early after a step whose loss or gradient is not finite. */
  async steps(steps: readonly Step[]): Promise<StepOutcome[]> {
    const batches = steps.flatMap((step) => step.batches);
    let first = 0;
    const bounds = steps.flatMap((step) => {
      const from = first;
      first += step.batches.length;
      return [BigInt(from), BigInt(step.batches.length)];
    });
    let result: InferenceSession.ReturnType;
    try {
      result = await this.training.run(
        {
          ...this.#states,
          ...runFeeds(batches),
          [RUN.steps]: new Tensor('int64', BigInt64Array.from(bounds), [steps.length, 2]),
          [RUN.rates]: new Tensor('float32', Float32Array.from(steps, ({ learningRate }) => learningRate), [
            steps.length,
          ]),
          [RUN.scale]: new Tensor('float32', Float32Array.of(this.#scale), []),
          [RUN.good]: new Tensor('int64', BigInt64Array.of(this.#good), []),
        },
        {
          ...this.#results,
          ...Object.fromEntries([`new ${RUN.scale}`, `new ${RUN.good}`, LOSS, RUN.norm].map((name) => [name, null])),
        },
      );
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      return this.steps(inHalves(steps, error));
    }
    [this.#scale] = result[`new ${RUN.scale}`].data as Float32Array;
    [this.#good] = result[`new ${RUN.good}`].data as BigInt64Array;
    const losses = result[LOSS].data as Float32Array;
    const norms = result[RUN.norm].data as Float32Array;
    const outcomes = Array.from(losses, (loss, i) => ({ loss, gradientNorm: norms[i] }));
    // Steps that were tried again with a smaller factor have no result.
    const finished = outcomes.filter(({ gradientNorm }) => Number.isFinite(gradientNorm));
    return finished.length === steps.length ? finished : [...finished, outcomes.at(-1)!];
  }

  /** Updates the weights once. */
  async step(batches: readonly TrainingBatch[], learningRate: number): Promise<StepOutcome> {
    return (await this.steps([{ learningRate, batches }]))[0];
  }

  /** Logits of all sequences, batch by batch, without dropout. */
  async score(batches: readonly MicroBatch[]): Promise<Float32Array<ArrayBuffer>> {
    this.#scoring ??= await openGraph(
      scoringLoopGraph(graphOptions(this.settings)),
      this.settings.device,
      this.settings.threads,
    );
    const values = this.#groups.map((group) => stateName(group, 'values'));
    const feeds = runFeeds(batches.map((batch) => ({ ...batch, targets: new Float32Array(0), columns: 1 })));
    const result = await this.#scoring.run({
      ...Object.fromEntries(values.map((name) => [name, this.#states[name]])),
      ...feeds,
    });
    return result[LOGITS].data as Float32Array<ArrayBuffer>;
  }

  async release(): Promise<void> {
    await this.training.release();
    await this.#scoring?.release();
  }
}

function graphOptions({ config, loss, dropout, seed, adam, precision }: EngineSettings) {
  const float = precision === 'fp16' ? ('float16' as const) : ('float32' as const);
  return { config, loss, dropout, seed, adam, float };
}

/** The arrays of a run, one micro-batch after the other. */
function runFeeds(batches: readonly TrainingBatch[]): Record<string, Tensor> {
  const filled = batches.map(padded);
  const places = { tokens: 0, sequences: 0, rows: 0 };
  const table = batches.map(({ lengths, targets, columns }, i) => {
    const { tokens, sequences, rows } = places;
    places.tokens += filled[i].ids.length;
    places.sequences += lengths.length;
    places.rows += targets.length / columns;
    return [tokens, places.tokens, sequences, places.sequences, rows, places.rows, filled[i].sequence];
  });
  const integers = (arrays: readonly Int32Array[], count: number): Tensor => {
    const all = new Int32Array(count);
    let at = 0;
    for (const array of arrays) {
      all.set(array, at);
      at += array.length;
    }
    return new Tensor('int32', all, [count]);
  };
  const columns = batches[0]?.columns ?? 1;
  const targets = Float32Array.from(batches.flatMap((batch) => [...batch.targets]));
  return {
    [RUN.ids]: integers(
      filled.map(({ ids }) => ids),
      places.tokens,
    ),
    [RUN.lengths]: integers(
      batches.map(({ lengths }) => lengths),
      places.sequences,
    ),
    [RUN.splits]: integers(
      batches.map(({ splits }) => splits),
      places.sequences,
    ),
    [RUN.targets]: new Tensor('float32', targets, [places.rows, columns]),
    [RUN.batches]: new Tensor('int64', BigInt64Array.from(table.flat(), BigInt), [batches.length, 7]),
  };
}

/** The same steps with every micro-batch of more than one group in two. */
function inHalves(steps: readonly Step[], cause: unknown): Step[] {
  const smaller = steps.map((step) => ({ ...step, batches: step.batches.flatMap(halves) }));
  const count = (some: readonly Step[]) => some.reduce((sum, { batches }) => sum + batches.length, 0);
  if (count(smaller) === count(steps)) {
    throw new BertQeError('failure', 'The memory of the card does not hold the training of this model.', {
      cause,
    });
  }
  return smaller;
}
