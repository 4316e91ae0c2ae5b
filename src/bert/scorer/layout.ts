import type { Device, Machine } from '../runtime/index.js';
import { DEVICE_PROFILES } from './device-profiles.js';

export interface Layout {
  readonly workers: number;
  readonly threads: number;
}

/**
 * The memory for the weights of all workers, each of which packs its own copy: an eighth, so that the models of three
 * phases leave most of it to others; on small machines, enough for a copy per core of all but large models.
 */
const MEMORY_SHARE = 1 / 8;
const LEAST_WEIGHT_BYTES = 1 << 30;

/**
 * Chooses the layout. On a CPU, workers of one thread each are best: the threads of one session wait for each other
 * after every operator, so all are as slow as the one whose core is shared with other work. Models of which memory
 * holds fewer copies get fewer workers with more threads.
 */
export function chooseLayout(
  device: Device,
  modelBytes: number,
  wanted: { readonly workers?: number | undefined; readonly threads?: number | undefined },
  { cores, memory, cards = 1 }: Machine,
): Layout {
  const { workers: workersFor } = DEVICE_PROFILES[device];
  if (workersFor)
    return { workers: wanted.workers ?? cards * workersFor(modelBytes), threads: wanted.threads ?? 1 };
  const threadsOf = (workers: number) => wanted.threads ?? Math.max(1, Math.floor(cores / workers));
  if (wanted.workers !== undefined) return { workers: wanted.workers, threads: threadsOf(wanted.workers) };
  const copies = Math.floor(Math.max(LEAST_WEIGHT_BYTES, MEMORY_SHARE * memory) / modelBytes);
  let workers = 1;
  for (let more = 2; more <= copies && more * threadsOf(more) <= cores; more++) {
    // The largest number of those that leave the fewest cores idle: four of 16 cores rather than six.
    if (more * threadsOf(more) >= workers * threadsOf(workers)) workers = more;
  }
  return { workers, threads: threadsOf(workers) };
}
