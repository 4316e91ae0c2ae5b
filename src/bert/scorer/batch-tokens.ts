import type { Device } from '../runtime/index.js';
import type { PreparedModel } from './model-source.js';

/** On a CPU a batch's activations should stay in the caches of the core that works on it. */
const CPU_TOKENS = 1024;

/** A GPU's batches are as large as this where memory does not say otherwise: each run costs milliseconds to start. */
const GPU_TOKENS = 65_536;

/** For exports, whose inner sizes are not known. */
const UNKNOWN_GPU_TOKENS = 8192;

/**
 * onnxruntime's WebGPU keeps buffers of up to 128 MiB for the next run and makes larger ones anew each time, which
 * takes longer than the computation: twice as many tokens then take four times as long (docs/benchmarks-scoring.md).
 */
const LARGEST_BUFFER = 128 << 20;

/** How many tokens make a good batch. */
export function batchTokensFor(device: Device, model: PreparedModel, maxLength: number): number {
  if (device === 'cpu') return CPU_TOKENS;
  if (!model.encoder) return UNKNOWN_GPU_TOKENS;
  const { intermediate, heads } = model.encoder;
  // The widest rows: of the feed-forward part, or, of long sequences, the scores of all heads.
  const widest = Math.max(intermediate, heads * maxLength) * (model.precision === 'fp16' ? 2 : 4);
  return Math.min(GPU_TOKENS, Math.floor(LARGEST_BUFFER / widest));
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
  const { layers, hidden, intermediate } = model.encoder;
  const weights = layers * (4 * hidden ** 2 + 2 * hidden * intermediate);
  return weights > LIGHT_WEIGHTS ? batchTokens : LIGHT_BATCHES * batchTokens;
}
