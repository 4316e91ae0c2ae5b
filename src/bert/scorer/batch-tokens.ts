import type { Device } from '../runtime/index.js';
import type { PreparedModel } from './model-source.js';

/** On a CPU a batch's activations should stay in the caches of the core that works on it. */
const CPU_TOKENS = 1024;

/** Weights in the layers of a model of which 1,024 tokens would keep a core busy for many seconds: L has 300 million. */
const HEAVY_WEIGHTS = 200_000_000;

/** A heavy model is no slower with fewer, and is done sooner after a call is given up or has no more batches. */
const HEAVY_CPU_TOKENS = 512;

/** A GPU's batches are as large as this where memory does not say otherwise: each run costs milliseconds to start. */
const GPU_TOKENS = 65_536;

/** For exports, whose inner sizes are not known. */
const UNKNOWN_GPU_TOKENS = 8192;

/**
 * The largest buffer that a batch may need. onnxruntime's WebGPU keeps freed buffers of up to 160 MiB for the next run
 * and makes larger ones anew each time, which takes longer than the computation: twice as many tokens then take up to
 * four times as long (docs/benchmarks-scoring.md). 128 MiB is its next smaller size, and what was measured most.
 */
const LARGEST_BUFFER = 128 << 20;

/**
 * The widest activations of a packed batch on CUDA: 65,536 tokens of L, 524,288 of T. Half as many cost L 1 % of its
 * rate; a run of T takes a millisecond whatever its size, and gains a third from 131,072 to 524,288.
 */
const WIDEST_PACKED = 512 << 20;

/** How many tokens make a good batch: on a GPU, as many as the widest rows of the encoder allow. */
export function batchTokensFor(device: Device, model: PreparedModel): number {
  if (device === 'cpu') return layerWeights(model) > HEAVY_WEIGHTS ? HEAVY_CPU_TOKENS : CPU_TOKENS;
  if (!model.encoder) return UNKNOWN_GPU_TOKENS;
  const { hidden, intermediate } = model.encoder;
  if (device === 'cuda') {
    const bytes = model.precision === 'fp16' ? 2 : 4;
    return Math.floor(WIDEST_PACKED / (bytes * Math.max(hidden, intermediate)));
  }
  // Four bytes in every precision: fp16 models compute in 32 bits where their kernels are known.
  return Math.min(GPU_TOKENS, Math.floor(LARGEST_BUFFER / (4 * Math.max(hidden, intermediate))));
}

/**
 * How many attention scores a head may have in a batch, a score per token and token of its sequence: a limit that
 * sequences of more than a few hundred tokens reach first. Scores are fp32 in every precision.
 */
export function headScoresFor(device: Device, { encoder }: PreparedModel): number {
  return device === 'webgpu' && encoder ? Math.floor(LARGEST_BUFFER / (4 * encoder.heads)) : Infinity;
}

/** Weights in the layers of a model whose batch takes a CPU some milliseconds: a few times those of the tiny model. */
const LIGHT_WEIGHTS = 1_000_000;

/** Batches of a light model that travel to a worker in one message. */
const LIGHT_BATCHES = 2;

/**
 * How many tokens a worker may be sent at a time. Messages keep the calling thread busy, and interrupt the other
 * workers: as often as a light model's batches are done, that was a twentieth of the work. Heavier models are sent a
 * batch: whoever gives up waits for what was sent.
 */
export function messageTokensFor(device: Device, model: PreparedModel, batchTokens: number): number {
  if (device !== 'cpu' || !model.encoder) return batchTokens;
  return layerWeights(model) > LIGHT_WEIGHTS ? batchTokens : LIGHT_BATCHES * batchTokens;
}

/** Weights of the encoder's layers, each of which a token is multiplied by; of exports none are known. */
function layerWeights({ encoder }: PreparedModel): number {
  if (!encoder) return 0;
  const { layers, hidden, intermediate } = encoder;
  return layers * (4 * hidden ** 2 + 2 * hidden * intermediate);
}

/** Messages for each worker up to which a call is better shared: beyond it hardly faster, and long without a word. */
const SHARED_MESSAGES = 4;

/**
 * How many tokens a call may have whose batches workers take from each other, to end together. Of twenty passages,
 * three messages for two workers, this takes a quarter less time; of two hundred, one or two per cent.
 */
export function sharedTokensFor(workers: number, messageTokens: number): number {
  return SHARED_MESSAGES * workers * messageTokens;
}
