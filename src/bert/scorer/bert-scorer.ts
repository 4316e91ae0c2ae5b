import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../../common/known-options.js';
import { countOf, scoringCost, SequenceTotal } from '../cost.js';
import type { EncoderShape } from '../sizes.js';
import type { Precision } from '../compile/index.js';
import { findModel } from '../models.js';
import { chooseDevice, cudaState, type Device, workerUrl } from '../runtime/index.js';
import { loadTokenizer } from '../tokenizer/index.js';
import { budgetFor, DEFAULT_MAX_LENGTH } from '../sequence.js';
import type { Scorer, ScoreOptions, ScoringCost, TextPair } from '../types.js';
import { DEVICE_PROFILES, pulledTokens } from './device-profiles.js';
import { InFlight } from './in-flight.js';
import { chooseLayout, type Layout } from './layout.js';
import { type PreparedModel, prepareModel } from './model-source.js';
import { PieceCache } from './piece-cache.js';
import { countTask, plan, type PlanOptions } from './plan.js';
import { WorkerPool } from './pool.js';
import { type Logits, probabilities } from './probabilities.js';
import { lengthOf } from './window.js';

/** The model to load, and how to run it. */
export interface ScorerOptions {
  /** A letter (T, S, M, B, L), the name of a model, or a path to a model folder. */
  readonly model: string;
  /** Default `auto`: CUDA where it can be used, else the CPU; WebGPU is used where it is asked for. */
  readonly device?: Device | 'auto';
  /** Default `auto`: fp32, on CUDA fp16, or what an export offers. */
  readonly precision?: Precision | 'auto';
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
export interface ScorerInfo extends Layout {
  readonly model: string;
  readonly folder: string;
  readonly device: Device;
  readonly precision: Precision;
  readonly labels: number;
  readonly maxLength: number;
  readonly batchTokens: number;
  /** The most tokens that a worker is sent at a time. */
  readonly messageTokens: number;
  /** The dimensions that costs depend on; absent for ONNX exports whose configuration does not describe a BERT. */
  readonly shape?: EncoderShape;
}

/** A cross-encoder that scores pairs in worker threads; the calling thread only tokenises. */
export class BertScorer implements Scorer {
  readonly info: ScorerInfo;
  readonly #pool: WorkerPool;
  readonly #planning: PlanOptions;
  readonly #calls = new Set<Promise<Logits>>();
  #closed = false;

  private constructor(info: ScorerInfo, pool: WorkerPool, planning: PlanOptions) {
    this.info = info;
    this.#pool = pool;
    this.#planning = planning;
  }

  /** Finds a model, compiles it if necessary, and loads it; refuses, with the reason, one that cannot score. */
  static async load(options: ScorerOptions): Promise<BertScorer> {
    refuseUnknownOptions('BertScorer.load', options, SCORER_OPTIONS, "{ model: 'T' }");
    const folder = await findModel(options.model);
    const tokenizer = await loadTokenizer(folder);
    const { template } = tokenizer;
    const device = await chooseDevice(options.device ?? 'auto');
    if (device === 'cuda') await requireCuda();
    const profile = DEVICE_PROFILES[device];
    const model = await prepareModel(folder, options.precision ?? 'auto', device, tokenizer);
    const { precision, batches } = model;
    const maxLength = checkedLength(options.maxLength ?? DEFAULT_MAX_LENGTH, model, folder);
    const budget = budgetFor(maxLength, template);
    const { workers, threads } = chooseLayout(device, model.bytes, options);
    // Threads that feed a GPU must not wait.
    const niceness = device === 'cpu' ? (options.niceness ?? 0) : 0;
    const pool = await WorkerPool.open(workers, {
      file: workerUrl('scorer/worker.js'),
      setup: { model, device, threads, niceness, secondSegment: template.secondSegment },
    });
    const batchTokens = options.batchTokens ?? profile.batchTokens(model);
    const messageTokens = profile.messageTokens(model, batchTokens);
    const info: ScorerInfo = {
      model: options.model,
      folder,
      device,
      precision,
      labels: pool.labels,
      workers,
      threads,
      maxLength,
      batchTokens,
      messageTokens,
      ...(model.shape ? { shape: model.shape } : {}),
    };
    return new BertScorer(info, pool, {
      pieces: new PieceCache(tokenizer, Math.max(budget.first, budget.second)),
      template,
      budget,
      batches,
      batchTokens,
      // A batch size that the caller chose is not limited further.
      attentionLimit: options.batchTokens === undefined ? profile.attentionLimit(model) : Infinity,
      messageLimit: { tokens: messageTokens, tasks: pool.capacity },
      pullLimit: { tokens: pulledTokens(workers, messageTokens), workers },
    });
  }

  /** P(b is relevant to a) for each pair. */
  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    return probabilities(await this.scoreLogits(pairs, options));
  }

  /** The classifier's raw outputs, which still differ where probabilities saturate at 0 and 1. */
  async scoreLogits(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Logits> {
    throwIfAborted(options.signal);
    if (this.#closed) throw new BertQeError('usage', 'The scorer is closed; load it again.');
    const call = this.#run(pairs, options);
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** The tokens of a pair as it is truncated. Its texts are tokenised once, for this and for scoring. */
  lengthOf(pair: TextPair): number {
    return lengthOf(pair, this.#planning);
  }

  /** The cost of pairs, without scoring them; undefined where the shape of the model is not known. */
  costOf(pairs: readonly TextPair[]): ScoringCost | undefined {
    const { shape } = this.info;
    return shape && scoringCost(shape, countOf(pairs.map((pair) => this.lengthOf(pair))));
  }

  async #run(pairs: readonly TextPair[], options: ScoreOptions): Promise<Logits> {
    const { signal, onProgress, onCost } = options;
    const { labels, shape } = this.info;
    const values = new Float32Array(pairs.length * labels);
    const inFlight = new InFlight(this.#pool.capacity);
    const abort = () => {
      const reason = new BertQeError('aborted', 'The scoring was cancelled.', { cause: signal?.reason });
      inFlight.fail(reason);
      this.#pool.withdraw(inFlight, reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    let done = 0;
    const total = new SequenceTotal();
    try {
      for await (const planned of plan(pairs, this.#planning, signal)) {
        await inFlight.room();
        const finish = (logits: Float32Array): void => {
          planned.pairs.forEach((pair, row) => {
            for (let label = 0; label < labels; label++) {
              const logit = logits[row * labels + label];
              if (!Number.isFinite(logit)) throw notFinite(logit, pair, pairs[pair]);
              values[pair * labels + label] = logit;
            }
          });
          done += planned.pairs.length;
          onProgress?.(done, pairs.length);
        };
        const { task, workers } = planned;
        countTask(task, total);
        inFlight.add(this.#pool.run(task, inFlight, workers).then(finish));
      }
      await inFlight.drained();
      if (shape) onCost?.(scoringCost(shape, total));
      return { labels, values };
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Refuses further calls, lets the running ones finish, then ends the workers. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#calls);
    await this.#pool.close();
  }
}

/** Refuses CUDA, with the reason, where it cannot be used. */
async function requireCuda(): Promise<void> {
  const { isUsable, detail } = await cudaState();
  if (!isUsable) throw new BertQeError('missing', `CUDA cannot be used here: ${detail}.`);
}

function checkedLength(maxLength: number, model: PreparedModel, folder: string): number {
  if (!Number.isInteger(maxLength) || maxLength > model.maxPositions) {
    throw new BertQeError(
      'usage',
      `A maximum length of ${maxLength} is not possible: ${folder} has positions for ${model.maxPositions} tokens.`,
    );
  }
  return maxLength;
}

function notFinite(logit: number, index: number, { a, b }: TextPair): BertQeError {
  return new BertQeError(
    'failure',
    `The model gave ${logit} for pair ${index} (${opening(a)}, ${opening(b)}); its weights or precision are not usable.`,
  );
}

function opening(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
