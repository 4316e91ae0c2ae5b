/**
 * The state that the workers of a task share: the next batch, the workers that have finished, and the logits. Workers
 * take batches until none is left, so they end at about the same time. The last to finish answers for all: the calling
 * thread is not woken while a worker still runs, which on a machine without a free core would slow that worker down.
 */
export interface SharedTask {
  readonly counters: Int32Array;
  /** `labels` values per sequence, in the order of the task; NaN where nothing has been computed. */
  readonly logits: Float32Array;
}

/** Places in the counters; after them one flag per worker, 1 once it has finished. */
const NEXT_BATCH = 0;
const UNFINISHED = 1;
const FLAGS = 2;

/** The state of a task. On pages that are not cross-origin isolated there is no shared memory: it then is of one worker. */
export function createSharedTask(workers: number, values: number): SharedTask {
  const Memory = globalThis.SharedArrayBuffer ?? ArrayBuffer;
  const buffer = new Memory(4 * (FLAGS + workers + values));
  const counters = new Int32Array(buffer, 0, FLAGS + workers);
  counters[UNFINISHED] = workers;
  const logits = new Float32Array(buffer, counters.byteLength).fill(Number.NaN);
  return { counters, logits };
}

/** The number of a batch that no worker has taken; beyond the last one when there is none. */
export function takeBatch({ counters }: SharedTask): number {
  return Atomics.add(counters, NEXT_BATCH, 1);
}

/** Lets no worker take another of the task's batches. */
export function stopTask({ counters }: SharedTask, batches: number): void {
  Atomics.store(counters, NEXT_BATCH, batches);
}

/** Marks a worker as finished, once; true for the last one. */
export function finish({ counters }: SharedTask, worker: number): boolean {
  return Atomics.exchange(counters, FLAGS + worker, 1) === 0 && Atomics.sub(counters, UNFINISHED, 1) === 1;
}

export function hasFinished({ counters }: SharedTask, worker: number): boolean {
  return Atomics.load(counters, FLAGS + worker) === 1;
}

/** True when all workers have finished. */
export function isOver({ counters }: SharedTask): boolean {
  return Atomics.load(counters, UNFINISHED) === 0;
}
