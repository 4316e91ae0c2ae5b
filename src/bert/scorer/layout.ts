import { availableParallelism, totalmem } from 'node:os';
import type { Device } from '../runtime/index.js';

/** How many workers, each with how many threads. */
export interface Layout {
  readonly workers: number;
  readonly threads: number;
}

/** What the machine has, or a container was given of it. */
export interface Machine {
  readonly cores: number;
  readonly memory: number;
}

/**
 * Weights that all workers together may hold, each packing its own copy: an eighth of the memory, so that the models of
 * three phases leave most of it to others, and on small machines so much that all but large models are held by every core.
 */
const MEMORY_SHARE = 1 / 8;
const LEAST_WEIGHT_BYTES = 1 << 30;

/**
 * While the card runs a batch of one worker, the others prepare theirs. That matters for models whose batches take
 * milliseconds: four workers score 1.7 times as many pairs of T as one, 1.2 times of S, and no more of L.
 */
const MOST_CUDA_WORKERS = 4;

/** The bytes of weights that all workers of a card may hold together. */
const CUDA_WEIGHT_BYTES = 512 << 20;

/**
 * On a CPU, workers of one thread each are best: threads of one session wait for each other after every operator, so
 * that all are as slow as the one whose core something else is using, and a core they sleep on may be given away.
 * Models of which memory holds fewer copies get fewer workers with more threads. A GPU has one queue.
 */
export function chooseLayout(
  device: Device,
  modelBytes: number,
  wanted: { readonly workers?: number | undefined; readonly threads?: number | undefined },
  { cores, memory }: Machine = thisMachine(),
): Layout {
  if (device === 'cuda') {
    const copies = Math.floor(CUDA_WEIGHT_BYTES / modelBytes);
    const workers = Math.max(1, Math.min(MOST_CUDA_WORKERS, copies));
    return { workers: wanted.workers ?? workers, threads: wanted.threads ?? 1 };
  }
  if (device === 'webgpu') return { workers: wanted.workers ?? 1, threads: wanted.threads ?? 1 };
  const threadsOf = (workers: number) => wanted.threads ?? Math.max(1, Math.floor(cores / workers));
  if (wanted.workers !== undefined) return { workers: wanted.workers, threads: threadsOf(wanted.workers) };
  const copies = Math.floor(Math.max(LEAST_WEIGHT_BYTES, MEMORY_SHARE * memory) / modelBytes);
  let workers = 1;
  for (let more = 2; more <= copies && more * threadsOf(more) <= cores; more++) {
    // As many as can be, of those numbers that leave the fewest cores without work: four of 16 cores rather than six.
    if (more * threadsOf(more) >= workers * threadsOf(workers)) workers = more;
  }
  return { workers, threads: threadsOf(workers) };
}

function thisMachine(): Machine {
  // Without a limit this is 0, or a number beyond any memory.
  const limit = process.constrainedMemory() || Infinity;
  return { cores: availableParallelism(), memory: Math.min(totalmem(), limit) };
}
