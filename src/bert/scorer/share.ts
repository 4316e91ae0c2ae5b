/**
 * What the workers of one task have in common: which batch is next, who is still at it, and what they computed. The last
 * to leave answers for all, so that the thread which waits is not woken while one of them still works: on a machine
 * without a free core that would be at its expense.
 */
export interface Share {
  readonly counters: Int32Array<SharedArrayBuffer>;
  /** `labels` values per sequence, in the order of the task; not a number where nothing has been computed. */
  readonly logits: Float32Array<SharedArrayBuffer>;
}

/** Places in the counters; behind them one for each taker, 1 when it has left. */
const NEXT = 0;
const LEFT = 1;
const TAKERS = 2;

export function createShare(takers: number, values: number): Share {
  const buffer = new SharedArrayBuffer(4 * (TAKERS + takers + values));
  const counters = new Int32Array(buffer, 0, TAKERS + takers);
  counters[LEFT] = takers;
  const logits = new Float32Array(buffer, counters.byteLength).fill(Number.NaN);
  return { counters, logits };
}

/** The place of a batch that nobody has taken; beyond the last one when there is none. */
export function takeBatch({ counters }: Share): number {
  return Atomics.add(counters, NEXT, 1);
}

/** Lets nobody take another of so many batches. */
export function stopShare({ counters }: Share, batches: number): void {
  Atomics.store(counters, NEXT, batches);
}

/** A taker is through, or will never be; true for the last one. To leave again changes nothing. */
export function leaveShare({ counters }: Share, taker: number): boolean {
  return Atomics.exchange(counters, TAKERS + taker, 1) === 0 && Atomics.sub(counters, LEFT, 1) === 1;
}

export function hasLeft({ counters }: Share, taker: number): boolean {
  return Atomics.load(counters, TAKERS + taker) === 1;
}

export function isOver({ counters }: Share): boolean {
  return Atomics.load(counters, LEFT) === 0;
}
