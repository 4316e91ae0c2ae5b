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
