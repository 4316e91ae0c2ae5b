import { type Logits, probabilities, type Scorer, type ScoreOptions, type TextPair } from '../bert/core.js';
import { throwIfAborted } from '../common/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import type { DownloadProgress, Integrity, Keeping } from './downloads.js';
import { modelAddress } from './model-address.js';
import { type PackedPairs, packPairs } from './packed-pairs.js';
import type { WebPrecision } from './prepare.js';
import { RemoteService } from './remote-service.js';
import type { WebDevice } from './runtime.js';
import type { ScoreReport, ScorerSetup, WebScorerInfo } from './scorer-service.js';
import { makeWorker, web } from './web.js';

/** The ways to run models in a browser, and to fetch them. */
export interface WebModelOptions {
  /** `wasm`, or `webgpu` where the browser offers an adapter (`auto`: `wasm`). */
  readonly device?: WebDevice | 'auto';
  /** The form of the weights in memory; fp16 takes half of it (`fp32`). */
  readonly precision?: WebPrecision | 'auto';
  /** The address below which models are found by letter or name (the package's own models). */
  readonly modelBase?: string;
  /** The file of the weights: a checkpoint or an ONNX export, which may be compressed as `.gz` (`model.safetensors`). */
  readonly weights?: string;
  /** The address of onnxruntime-web's `dist` folder; without it, a bundler must have resolved the package. */
  readonly runtime?: string;
  /**
   * The storage of a model's files: `keep` them in Cache Storage, `reload` and keep them, or `none`. Kept files are
   * not asked for again: give a model that changes a new address. (`keep`.)
   */
  readonly cache?: Keeping;
  /** Workers with a session each (one per core, at most 4). */
  readonly workers?: number;
  /** Threads of each session; more than 1 needs a page that is cross-origin isolated. */
  readonly threads?: number;
  /** Hears of downloads; files that are kept are not downloaded. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Gives up loading. */
  readonly signal?: AbortSignal;
}

/** The model to load, and how to run it. */
export interface WebScorerOptions extends WebModelOptions {
  /** A letter (T, S), the name of a folder below `modelBase`, or the address of a folder. */
  readonly model: string;
  /** SHA-256 hashes by file, as `sha256-…` in base64. Files of the package's own models are always checked. */
  readonly integrity?: Integrity;
  /** The longest sequence, special tokens included; default 384, of which the first text gets a third. */
  readonly maxLength?: number;
  /** Tokens in a batch (1,024 with WebAssembly). */
  readonly batchTokens?: number;
}

export const WEB_MODEL_OPTIONS: OptionNames<WebModelOptions> = {
  device: true,
  precision: true,
  modelBase: true,
  weights: true,
  runtime: true,
  cache: true,
  workers: true,
  threads: true,
  onDownload: true,
  signal: true,
};

const SCORER_OPTIONS: OptionNames<WebScorerOptions> = {
  ...WEB_MODEL_OPTIONS,
  model: true,
  integrity: true,
  maxLength: true,
  batchTokens: true,
};

/** A cross-encoder that scores pairs in Web Workers; the page's thread only sends texts and receives scores. */
export class BertScorer implements Scorer {
  /** Calls that the worker has not been told of yet. */
  readonly #packing = new Set<Promise<PackedPairs>>();

  private constructor(
    readonly info: WebScorerInfo,
    private readonly service: RemoteService,
  ) {}

  /** Downloads a model, or takes it from the browser's storage, and loads it; refuses, with the reason, one that cannot score. */
  static async load(options: WebScorerOptions): Promise<BertScorer> {
    refuseUnknownOptions('BertScorer.load', options, SCORER_OPTIONS, "{ model: 'T' }");
    const { model, modelBase, onDownload, signal } = options;
    const { place, integrity } = modelAddress(model, modelBase);
    const setup: ScorerSetup = {
      role: 'scorer',
      place,
      integrity: options.integrity ?? integrity,
      weights: options.weights ?? 'model.safetensors',
      keeping: options.cache ?? 'keep',
      device: options.device ?? 'auto',
      precision: options.precision === 'fp16' ? 'fp16' : 'fp32',
      workers: options.workers,
      threads: options.threads,
      maxLength: options.maxLength,
      batchTokens: options.batchTokens,
      runtime: options.runtime && new URL(options.runtime, web.location?.href).href,
    };
    const { service, facts } = await RemoteService.open<WebScorerInfo, DownloadProgress>(makeWorker, setup, {
      signal,
      onReport: onDownload,
    });
    return new BertScorer(facts, service);
  }

  /** P(b is relevant to a) for each pair. */
  async score(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Float32Array> {
    return probabilities(await this.scoreLogits(pairs, options));
  }

  /** The classifier's raw outputs, which still differ where probabilities saturate at 0 and 1. */
  async scoreLogits(pairs: readonly TextPair[], options: ScoreOptions = {}): Promise<Logits> {
    const { signal, onProgress, onCost, secondPieces } = options;
    const cut = secondPieces === undefined ? {} : { secondPieces };
    throwIfAborted(signal);
    const packing = packPairs(pairs);
    this.#packing.add(packing);
    const packed = await packing;
    this.#packing.delete(packing);
    const logits = await this.service.call<Logits, ScoreReport>('score', [packed, cut], {
      signal,
      transfer: [packed.places.buffer],
      onReport: (report) => {
        if ('cost' in report) onCost?.(report.cost);
        else onProgress?.(report.done, report.total);
      },
    });
    throwIfAborted(signal);
    return logits;
  }

  /** Refuses further calls, lets the running ones finish, then ends the workers. */
  async close(): Promise<void> {
    await Promise.all(this.#packing);
    return this.service.close();
  }
}
