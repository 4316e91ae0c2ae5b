import { availableParallelism } from 'node:os';
import type { Device } from '../runtime/index.js';

/** How many workers, each with how many threads. */
export interface Layout {
  readonly workers: number;
  readonly threads: number;
}

/** Weights that all workers together may hold in memory: each worker packs its own copy. */
const WEIGHT_BYTES = 1 << 30;

/**
 * On a CPU, workers of one thread each are best: threads of one session wait for each other after every
 * operator. Large models get fewer workers with more threads, to hold fewer copies. A GPU has one queue.
 */
export function chooseLayout(
  device: Device,
  modelBytes: number,
  wanted: { readonly workers?: number | undefined; readonly threads?: number | undefined },
): Layout {
  if (device !== 'cpu') return { workers: wanted.workers ?? 1, threads: wanted.threads ?? 1 };
  const cores = availableParallelism();
  if (wanted.workers !== undefined) {
    return {
      workers: wanted.workers,
      threads: wanted.threads ?? Math.max(1, Math.floor(cores / wanted.workers)),
    };
  }
  const share = Math.floor(cores / (wanted.threads ?? 1));
  const workers = Math.max(1, Math.min(share, Math.floor(WEIGHT_BYTES / modelBytes)));
  return { workers, threads: wanted.threads ?? Math.max(1, Math.floor(cores / workers)) };
}
