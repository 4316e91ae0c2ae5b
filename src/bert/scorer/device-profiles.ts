import { weightFlops } from '../cost.js';
import type { Precision } from '../compile/index.js';
import type { ModelConfig } from '../config.js';
import type { BatchForm } from '../graph/index.js';
import type { Device } from '../runtime/index.js';

/** The traits of a model that sizes depend on. */
export interface ModelTraits {
  readonly precision: Precision;
  /** The configuration of a compiled model; absent for exports. */
  readonly encoder?: ModelConfig;
}

/** All that depends on the device a model runs on: the form of its graph, and the sizes of what it is sent. */
interface DeviceProfile {
  /** The form of the batches of compiled models, and so of their graphs. */
  readonly batches: BatchForm;
  /** Precisions of compiled models, the default first. */
  readonly precisions: readonly Precision[];
  /** Weights in 16 bits are widened in every run, not once when they are loaded. */
  readonly widensHalfWeights: boolean;
  /** The default number of workers for a model of this size; absent: by cores and memory. */
  readonly workers?: (modelBytes: number) => number;
  /** The number of tokens in a batch. */
  batchTokens(model: ModelTraits): number;
  /** The most attention scores of a head in a batch: the sum over sequences of length². */
  attentionLimit(model: ModelTraits): number;
  /** The number of tokens that a worker is sent at a time. */
  messageTokens(model: ModelTraits, batchTokens: number): number;
}

/** Keeps a batch's activations in the caches of the core that works on it. */
const CPU_TOKENS = 1024;

/** Models with more weights in their layers take many seconds for 1,024 tokens on a core: L has 300 million. */
const HEAVY_WEIGHTS = 200_000_000;

/** Smaller batches of heavy models are no slower, and end sooner after a call is aborted or has no more batches. */
const HEAVY_CPU_TOKENS = 512;

/** Models with fewer weights in their layers take a CPU some milliseconds for a batch: a few times those of T. */
const LIGHT_WEIGHTS = 1_000_000;

/**
 * Batches of a light model in one message. Messages keep the calling thread busy and interrupt the workers: one per
 * batch takes a twentieth of the time of a light model. Heavier models are sent single batches, because an aborted call
 * waits for what was sent.
 */
const LIGHT_BATCHES = 2;

const cpu: DeviceProfile = {
  batches: 'equal',
  precisions: ['fp32', 'fp16', 'int8'],
  widensHalfWeights: false,
  batchTokens: (model) => (layerWeights(model) > HEAVY_WEIGHTS ? HEAVY_CPU_TOKENS : CPU_TOKENS),
  attentionLimit: () => Infinity,
  messageTokens: (model, batchTokens) =>
    model.encoder && layerWeights(model) <= LIGHT_WEIGHTS ? LIGHT_BATCHES * batchTokens : batchTokens,
};

/** The most tokens in a batch of WebGPU, if memory allows: each run takes milliseconds to start. */
const WEBGPU_TOKENS = 65_536;

/** Tokens in a GPU's batch of an export, whose inner sizes are not known. */
const EXPORT_TOKENS = 8192;

/**
 * The largest buffer of a batch. onnxruntime's WebGPU keeps freed buffers of up to 160 MiB for the next run and allocates
 * larger ones each time, which takes longer than the computation: twice as many tokens then take up to four times as
 * long (docs/benchmarks-scoring.md). 128 MiB is its next smaller size.
 */
const LARGEST_BUFFER = 128 << 20;

const webgpu: DeviceProfile = {
  // A run takes a GPU milliseconds to start, so it gets large batches of sequences that differ in length.
  batches: 'padded',
  precisions: ['fp32', 'fp16', 'int8'],
  widensHalfWeights: true,
  workers: () => 1,
  // Activations and attention scores have four bytes in every precision.
  batchTokens: ({ encoder }) =>
    encoder ? Math.min(WEBGPU_TOKENS, Math.floor(LARGEST_BUFFER / (4 * widestRow(encoder)))) : EXPORT_TOKENS,
  attentionLimit: ({ encoder }) => (encoder ? Math.floor(LARGEST_BUFFER / (4 * encoder.heads)) : Infinity),
  messageTokens: (_, batchTokens) => batchTokens,
};

/**
 * The widest activations of a packed batch: 65,536 tokens of L, 524,288 of T. Half as many cost L 1 % of its rate; a run
 * of T takes a millisecond whatever its size, and gains a third from 131,072 to 524,288.
 */
const WIDEST_PACKED = 512 << 20;

/**
 * While the card runs a batch of one worker, the others prepare theirs. That matters for models whose batches take
 * milliseconds: four workers score 1.7 times as many pairs of T as one, 1.2 times of S, and no more of L.
 */
const MOST_CUDA_WORKERS = 4;

/** The bytes of weights that all workers of a card may hold together. */
const CUDA_WEIGHT_BYTES = 512 << 20;

const cuda: DeviceProfile = {
  batches: 'packed',
  precisions: ['fp16', 'tf32', 'fp32'],
  widensHalfWeights: false,
  workers: (modelBytes) =>
    Math.max(1, Math.min(MOST_CUDA_WORKERS, Math.floor(CUDA_WEIGHT_BYTES / modelBytes))),
  batchTokens: ({ encoder, precision }) =>
    encoder
      ? Math.floor(WIDEST_PACKED / ((precision === 'fp16' ? 2 : 4) * widestRow(encoder)))
      : EXPORT_TOKENS,
  attentionLimit: () => Infinity,
  messageTokens: (_, batchTokens) => batchTokens,
};

export const DEVICE_PROFILES: Readonly<Record<Device, DeviceProfile>> = { cpu, webgpu, cuda };

/** Messages for each worker up to which workers pull: with more, it is hardly faster and progress comes late. */
const PULLED_MESSAGES = 4;

/**
 * The most tokens of a call whose batches workers pull from one task, to end together. Twenty passages, three messages
 * for two workers, then take a quarter less time; two hundred, one or two per cent.
 */
export function pulledTokens(workers: number, messageTokens: number): number {
  return PULLED_MESSAGES * workers * messageTokens;
}

/** The sizes of what the workers of a model are sent, of whose tasks so many keep them busy. */
export function batchSizes(
  profile: DeviceProfile,
  model: ModelTraits,
  { workers, tasks }: { readonly workers: number; readonly tasks: number },
  batchTokens = profile.batchTokens(model),
) {
  const messageTokens = profile.messageTokens(model, batchTokens);
  return {
    batchTokens,
    attentionLimit: profile.attentionLimit(model),
    messageLimit: { tokens: messageTokens, tasks },
    pullLimit: { tokens: pulledTokens(workers, messageTokens), workers },
  };
}

function widestRow({ hidden, intermediate }: ModelConfig): number {
  return Math.max(hidden, intermediate);
}

/** Weights of the encoder's layers, each of which a token is multiplied by; those of exports are not known. */
function layerWeights({ encoder }: ModelTraits): number {
  return encoder ? weightFlops(encoder) / 2 : 0;
}
