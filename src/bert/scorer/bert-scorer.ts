import { usageError } from '../../common/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { type Precision, precisionNames } from '../compile/index.js';
import { findModel } from '../models.js';
import {
  chooseDevice,
  type Device,
  deviceNames,
  requireCuda,
  thisMachine,
  workerUrl,
} from '../runtime/index.js';
import { loadTokenizer, readModelConfig } from '../model-folder.js';
import { DEFAULT_MAX_LENGTH } from '../sequence.js';
import { batchSizes, DEVICE_PROFILES } from './device-profiles.js';
import { chooseLayout, type Layout } from './layout.js';
import { type PreparedModel, prepareModel } from './model-source.js';
import { PairScorer, type ScoredModel } from './pair-scorer.js';
import { WorkerPool } from './pool.js';
import { costOf, encodingOf } from './window.js';

/** The model to load, and how to run it. */
export interface ScorerOptions {
  /** A letter (T, S, M, B, L), the name of a model, or a path to a model folder. */
  readonly model: string;
  /** Default `auto`: CUDA where it can be used, else the CPU; WebGPU is used where it is asked for. */
  readonly device?: Device | 'auto' | undefined;
  /**
   * Default `auto`: fp32, on CUDA fp16, or what an export offers; on a CPU with products of bytes (VNNI, ARM's dot
   * products) int8, if the folder has the int8 form of the weights, as the package's S has.
   */
  readonly precision?: Precision | 'auto' | undefined;
  /** Worker threads, each with a session of its own. Default: by cores and model size. */
  readonly workers?: number;
  /** Threads of each session. Default: the cores divided among the workers. */
  readonly threads?: number;
  /**
   * Steps, 1 to 19, by which threads that score on a CPU give way to the machine's other threads, the caller's among
   * them (0). Only Linux has a priority for each thread.
   */
  readonly niceness?: number;
  /** The longest sequence, special tokens included; default 384, of which the first text gets a third. */
  readonly maxLength?: number;
  /** Tokens in a batch. Default: 1,024 on a CPU, 512 of large models; by width on a GPU (device-profiles.ts). */
  readonly batchTokens?: number;
}

const SCORER_OPTIONS: OptionNames<ScorerOptions> = {
  model: true,
  device: true,
  precision: true,
  workers: true,
  threads: true,
  niceness: true,
  maxLength: true,
  batchTokens: true,
};

/** A loaded scorer's settings, with every `auto` resolved. */
export interface ScorerInfo extends Layout, ScoredModel {
  readonly model: string;
  readonly folder: string;
  readonly device: Device;
  readonly precision: Precision;
  readonly maxLength: number;
  readonly batchTokens: number;
  /** The most tokens that a worker is sent at a time. */
  readonly messageTokens: number;
}

/** A cross-encoder that scores pairs in worker threads; the calling thread only tokenises. */
export class BertScorer extends PairScorer<ScorerInfo> {
  /** Finds a model, compiles it if necessary, and loads it; refuses, with the reason, one that cannot score. */
  static async load(options: ScorerOptions): Promise<BertScorer> {
    refuseUnknownOptions('BertScorer.load', options, SCORER_OPTIONS, "{ model: 'T' }");
    checkValues(options);
    const folder = await findModel(options.model);
    const tokenizer = await loadTokenizer(folder);
    const device = await chooseDevice(options.device ?? 'auto');
    const cards = device === 'cuda' ? await requireCuda() : 1;
    const model = await prepareModel(folder, options.precision ?? 'auto', device, tokenizer);
    const { precision, batches } = model;
    const maxLength = checkedLength(options.maxLength ?? DEFAULT_MAX_LENGTH, model, folder);
    const encoding = encodingOf(tokenizer, maxLength);
    const { workers, threads } = chooseLayout(device, model.bytes, options, { ...thisMachine(), cards });
    // Threads that feed a GPU must not wait.
    const niceness = device === 'cpu' ? (options.niceness ?? 0) : 0;
    const pool = await WorkerPool.open(workers, {
      file: workerUrl('scorer/worker.js'),
      setup: { model, device, threads, niceness, secondSegment: tokenizer.template.secondSegment },
      cards,
    });
    const profile = DEVICE_PROFILES[device];
    const sizes = batchSizes(profile, model, { workers, tasks: pool.capacity }, options.batchTokens);
    const info: ScorerInfo = {
      model: options.model,
      folder,
      device,
      precision,
      labels: pool.labels,
      workers,
      threads,
      maxLength,
      batchTokens: sizes.batchTokens,
      messageTokens: sizes.messageLimit.tokens,
      ...(model.shape ? { shape: model.shape } : {}),
    };
    return new BertScorer(info, pool, {
      ...encoding,
      ...sizes,
      batches,
      // A batch size that the caller chose is not limited further.
      ...(options.batchTokens !== undefined && { attentionLimit: Infinity }),
    });
  }
}

/** The cost of pairs to a model; undefined where the shape of the model is not known. */
export type PairCost = PairScorer['costOf'];

/** Counts what pairs cost the model in a folder, without loading its weights. */
export async function loadPairCost(folder: string): Promise<PairCost> {
  const encoding = encodingOf(await loadTokenizer(folder), DEFAULT_MAX_LENGTH);
  // Exports of other architectures have no shape that costs could be told from.
  const shape = await readModelConfig(folder).catch(() => undefined);
  return (pairs, options) => costOf(pairs, encoding, shape, options);
}

/** Callers in JavaScript may give anything; a pool of no workers would never answer. */
function checkValues(options: ScorerOptions): void {
  const choices = { device: ['auto', ...deviceNames], precision: ['auto', ...precisionNames] } as const;
  for (const [name, known] of Object.entries(choices)) {
    const value = options[name as keyof typeof choices];
    if (value === undefined || (known as readonly string[]).includes(value)) continue;
    throw usageError(`BertScorer.load: ${name} must be one of ${known.join(', ')}, not ${value}.`);
  }
  const counts = { workers: 1024, threads: 1024, batchTokens: 2 ** 24 };
  for (const [name, most] of Object.entries(counts)) {
    const value = options[name as keyof typeof counts];
    if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= most)) continue;
    throw usageError(
      `BertScorer.load: ${name} must be a whole number from 1 to ${most}, not ${String(value)}.`,
    );
  }
}

function checkedLength(maxLength: number, model: PreparedModel, folder: string): number {
  if (!Number.isInteger(maxLength) || maxLength > model.maxPositions) {
    throw usageError(
      `A maximum length of ${maxLength} is not possible: ${folder} has positions for ${model.maxPositions} tokens.`,
    );
  }
  return maxLength;
}
