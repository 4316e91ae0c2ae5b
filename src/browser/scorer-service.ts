import {
  batchSizes,
  chooseLayout,
  DEFAULT_MAX_LENGTH,
  DEVICE_PROFILES,
  encodingOf,
  type EncoderShape,
  PairScorer,
  type PlanOptions,
  type ScoreOptions,
  type ScoringCost,
  type TaskRunner,
  tokenizerOf,
} from '../bert/core.js';
import { missingError, usageError } from '../common/errors.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { type DownloadProgress, Downloads, type Integrity, type Keeping } from './downloads.js';
import { type PackedPairs, unpackPairs } from './packed-pairs.js';
import { prepareModel, type WebPrecision } from './prepare.js';
import { requestWorker, type ServedCall, type Service } from './remote-service.js';
import type { WebDevice } from './runtime.js';
import { SessionPool } from './session-pool.js';
import { web } from './web.js';

/** The setup of the worker that downloads a model, tokenises, and spreads batches over sessions. */
export interface ScorerSetup {
  readonly role: 'scorer';
  /** The address of the folder, with a slash at its end. */
  readonly place: string;
  readonly weights: string;
  readonly integrity: Integrity | undefined;
  readonly keeping: Keeping;
  readonly device: WebDevice | 'auto';
  readonly precision: WebPrecision;
  readonly workers: number | undefined;
  readonly threads: number | undefined;
  readonly maxLength: number | undefined;
  readonly batchTokens: number | undefined;
  readonly runtime: string | undefined;
}

/** A loaded scorer's settings, with every `auto` resolved. */
export interface WebScorerInfo {
  /** The address of the model's folder. */
  readonly place: string;
  readonly device: WebDevice;
  readonly precision: WebPrecision;
  /** Outputs of the classifier, 1 or 2. */
  readonly labels: number;
  readonly workers: number;
  readonly threads: number;
  readonly maxLength: number;
  /** The dimensions that costs depend on; absent for ONNX exports. */
  readonly shape?: EncoderShape;
  /** The reason why the model was not kept for the next visit; absent where it was, or was not to be. */
  readonly notKept?: string;
}

/** A report of a call of `score` before its end. */
export type ScoreReport = { readonly done: number; readonly total: number } | { readonly cost: ScoringCost };

/** The most workers by default: each holds a runtime and a copy of the weights. */
const MOST_WORKERS = 4;

/** Word-piece ids kept of texts, 4 MB: the passages and chunks of a search over a thousand documents. */
const CACHED_IDS = 1_000_000;

/** Memory of devices that do not tell it. */
const ASSUMED_GIBIBYTES = 4;

/** Opens a scorer in this worker, which then has the page make others for the sessions. */
export async function openScorerService(setup: ScorerSetup, call: ServedCall): Promise<Service> {
  const { place, weights, integrity, keeping, precision } = setup;
  const files = new Downloads(place, {
    integrity,
    keeping,
    signal: call.signal,
    onProgress: (progress: DownloadProgress) => call.report(progress),
  });
  const device = await chooseDevice(setup.device);
  // First: its absence says that the address is wrong.
  await files.bytes('config.json');
  const tokenizer = await tokenizerOf(files);
  const processor = device === 'webgpu' ? 'webgpu' : 'cpu';
  const profile = DEVICE_PROFILES[processor];
  const { model, bytes, external, shape } = await prepareModel(files, weights, profile.batches, precision);
  const maxLength = setup.maxLength ?? Math.min(DEFAULT_MAX_LENGTH, model.maxPositions);
  if (!Number.isInteger(maxLength) || maxLength < 1 || maxLength > model.maxPositions) {
    throw usageError(
      `A maximum length of ${maxLength} is not possible: the model has positions for ${model.maxPositions} tokens.`,
    );
  }
  const encoding = encodingOf(tokenizer, maxLength, CACHED_IDS);
  const size = bytes.length + (external?.data.length ?? 0);
  const layout = chooseLayout(processor, size, setup, thisDevice());
  const { workers } = layout;
  const threads = web.crossOriginIsolated ? layout.threads : 1;
  const runner = await SessionPool.open(requestWorker, workers, {
    role: 'session',
    model,
    bytes,
    external,
    secondSegment: tokenizer.template.secondSegment,
    device,
    threads,
    runtime: setup.runtime,
  });
  const sizes = batchSizes(profile, model, { workers, tasks: runner.capacity }, setup.batchTokens);
  const scorer = new ServedScorer({ labels: model.labels, ...omitUndefined({ shape }) }, runner, {
    ...encoding,
    ...sizes,
    batches: model.batches,
  });
  const facts: WebScorerInfo = {
    place,
    device,
    precision,
    labels: model.labels,
    workers,
    threads,
    maxLength,
    ...omitUndefined({ shape, notKept: files.notKept }),
  };
  return {
    facts,
    methods: {
      score: ({ signal, report }, pairs: PackedPairs, cut: Pick<ScoreOptions, 'secondPieces'>) =>
        scorer.scoreLogits(unpackPairs(pairs), {
          ...cut,
          signal,
          onProgress: (done, total) => report({ done, total } satisfies ScoreReport),
          onCost: (cost) => report({ cost } satisfies ScoreReport),
        }),
    },
    release: () => scorer.close(),
  };
}

class ServedScorer extends PairScorer {
  // oxlint-disable-next-line no-useless-constructor -- that of the base class is protected
  constructor(info: PairScorer['info'], runner: TaskRunner, planning: PlanOptions) {
    super(info, runner, planning);
  }
}

/** WebGPU is used where it is asked for: its adapter may be a software one, which is slower than WebAssembly. */
async function chooseDevice(wanted: WebDevice | 'auto'): Promise<WebDevice> {
  if (wanted !== 'webgpu') return 'wasm';
  const adapter = await web.navigator?.gpu?.requestAdapter().catch(() => null);
  if (adapter) return 'webgpu';
  throw missingError(
    "This browser offers no WebGPU adapter: load the model with { device: 'wasm' }, or turn on hardware acceleration.",
  );
}

function thisDevice() {
  const { hardwareConcurrency = 1, deviceMemory = ASSUMED_GIBIBYTES } = web.navigator ?? {};
  return { cores: Math.min(hardwareConcurrency, MOST_WORKERS), memory: deviceMemory * 2 ** 30 };
}
