import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { bertTensorShapes } from '../../bert/checkpoint/index.js';
import type { ModelConfig } from '../../bert/index.js';
import { concat } from '../../common/concat.js';
import {
  BATCH_COLUMNS,
  groupShape,
  headOf,
  type ParameterGroup,
  LOSS,
  parameterGroups,
  RUN,
  SCORES,
  scoringLoopGraph,
  STATE,
  stateName,
  trainingLoopGraph,
  WANTED,
} from '../graph/index.js';
import { longest, type MicroBatch, padded, type TrainingBatch } from './micro-batch.js';
import { openGraph } from './session.js';
import { SmallerBatches } from './smaller-batches.js';
import {
  type EngineSettings,
  isFinite,
  type Step,
  type StepOutcome,
  type TrainedTensor,
  type TrainingEngine,
} from './training-engine.js';

/** The factor of the loss in the first step, in 16 bits. */
const FIRST_SCALE = 2 ** 16;

/**
 * A model in training whose weights and moments stay on a device for all steps of a call. The runtime's binding keeps
 * nothing there between calls, so longer calls are faster: L has 4 GB to bring and to fetch.
 */
export class DeviceEngine implements TrainingEngine {
  /** Parts of the arrays of their groups. */
  readonly parameters: ReadonlyMap<string, TrainedTensor>;
  readonly #groups: readonly ParameterGroup[];
  readonly #states: Record<string, Tensor> = {};
  /** Results are written over what they were computed from. */
  readonly #results: Record<string, Tensor> = {};
  #scale: number;
  #good = 0n;
  #scoring: InferenceSession | undefined;
  readonly #smaller = new SmallerBatches();

  private constructor(
    private readonly settings: EngineSettings,
    private readonly training: InferenceSession,
  ) {
    const { config, loss, precision } = settings;
    this.#groups = parameterGroups(config, loss);
    this.#scale = precision === 'fp16' ? FIRST_SCALE : 1;
    const shapes = bertTensorShapes(config, headOf(loss));
    const parameters = new Map<string, TrainedTensor>();
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

  steps(steps: readonly Step[]): Promise<StepOutcome[]> {
    return this.#smaller.run(steps, (parts) => this.#run(parts));
  }

  score(batches: readonly (MicroBatch | TrainingBatch)[]): Promise<Float32Array<ArrayBuffer>> {
    const rows = batches.map((batch) => {
      if ('targets' in batch) return batch;
      const targets = new Float32Array(batch.lengths.length);
      return { ...batch, targets, columns: 1 };
    });
    return this.#smaller.run([{ batches: rows }], ([whole]) => this.#logits(whole.batches));
  }

  async release(): Promise<void> {
    await this.training.release();
    await this.#scoring?.release();
  }

  async #run(steps: readonly Step[]): Promise<StepOutcome[]> {
    let first = 0;
    const bounds = steps.flatMap(({ batches }) => {
      const from = first;
      first += batches.length;
      return [BigInt(from), BigInt(batches.length)];
    });
    const rates = Float32Array.from(steps, ({ learningRate }) => learningRate);
    const others = [`new ${RUN.scale}`, `new ${RUN.good}`, LOSS, RUN.norm];
    const result = await this.training.run(
      {
        ...this.#states,
        ...runArrays(
          steps.flatMap(({ batches }) => batches),
          this.settings.config,
        ),
        [RUN.steps]: new Tensor('int64', BigInt64Array.from(bounds), [steps.length, 2]),
        [RUN.rates]: new Tensor('float32', rates, [steps.length]),
        [RUN.scale]: new Tensor('float32', Float32Array.of(this.#scale), []),
        [RUN.good]: new Tensor('int64', BigInt64Array.of(this.#good), []),
      },
      { ...this.#results, ...Object.fromEntries(others.map((name) => [name, null])) },
    );
    [this.#scale] = result[`new ${RUN.scale}`].data as Float32Array;
    [this.#good] = result[`new ${RUN.good}`].data as BigInt64Array;
    const losses = result[LOSS].data as Float32Array;
    const norms = result[RUN.norm].data as Float32Array;
    const outcomes = Array.from(losses, (loss, i) => ({ loss, gradientNorm: norms[i] }));
    // Steps that were tried again with a smaller factor have no result.
    const finished = outcomes.filter(isFinite);
    return finished.length === steps.length ? finished : [...finished, outcomes.at(-1)!];
  }

  async #logits(batches: readonly TrainingBatch[]): Promise<Float32Array<ArrayBuffer>> {
    const { device, threads } = this.settings;
    this.#scoring ??= await openGraph(scoringLoopGraph(graphOptions(this.settings)), device, threads);
    const names = this.#groups.map((group) => stateName(group, 'values'));
    const values = Object.fromEntries(names.map((name) => [name, this.#states[name]]));
    const result = await this.#scoring.run({ ...values, ...runArrays(batches, this.settings.config) });
    return result[SCORES].data as Float32Array<ArrayBuffer>;
  }
}

function graphOptions({ precision, device, ...options }: EngineSettings) {
  const float = precision === 'fp16' ? ('float16' as const) : ('float32' as const);
  return { ...options, float, cuda: device === 'cuda' };
}

/** Sequences are padded to multiples of this: products of 16 bits want sizes of multiples, and few sizes are reused. */
const LENGTH_STEP = 32;

/** The arrays of a run of many micro-batches, one after the other, and the table of their places. */
function runArrays(batches: readonly TrainingBatch[], { maxPositions }: ModelConfig): Record<string, Tensor> {
  const filled = batches.map((batch) => {
    const length = LENGTH_STEP * Math.ceil(longest(batch.lengths) / LENGTH_STEP);
    return padded(batch, Math.min(length, maxPositions));
  });
  const places = { tokens: 0, sequences: 0, rows: 0 };
  const table = batches.map(({ lengths, targets, columns }, i) => {
    const { tokens, sequences, rows } = places;
    places.tokens += filled[i].ids.length;
    places.sequences += lengths.length;
    places.rows += targets.length / columns;
    return [tokens, places.tokens, sequences, places.sequences, rows, places.rows, filled[i].sequence];
  });
  const columns = batches[0]?.columns ?? 1;
  const targets = Float32Array.from(batches.flatMap((batch) => [...batch.targets]));
  const wanted = filled.flatMap((batch) => batch.wanted ?? []);
  return {
    ...(wanted.length > 0 && { [WANTED]: tensorOf(wanted) }),
    [RUN.ids]: tensorOf(filled.map(({ ids }) => ids)),
    [RUN.lengths]: tensorOf(batches.map(({ lengths }) => lengths)),
    [RUN.splits]: tensorOf(batches.map(({ splits }) => splits)),
    [RUN.targets]: new Tensor('float32', targets, [places.rows, columns]),
    [RUN.batches]: new Tensor('int64', BigInt64Array.from(table.flat(), BigInt), [
      batches.length,
      BATCH_COLUMNS,
    ]),
  };
}

function tensorOf(arrays: readonly Int32Array[]): Tensor {
  const all = concat(Int32Array, arrays);
  return new Tensor('int32', all, [all.length]);
}
