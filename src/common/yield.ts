import { throwIfAborted } from './errors.js';

/** Lets timers, sockets and workers run before the caller goes on. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') {
      setImmediate(resolve);
      return;
    }
    // Browsers have no setImmediate, and their nested timers wait at least 4 ms.
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener(
      'message',
      () => {
        port1.close();
        resolve();
      },
      { once: true },
    );
    port1.start();
    port2.postMessage(undefined);
  });
}

/** Long pieces of work that have yielded and wait to go on. */
const waiting: (() => void)[] = [];

/** Lets those that wait go on, one in each turn of the event loop. */
async function goOnInTurn(): Promise<void> {
  while (waiting.length > 0) {
    await yieldToEventLoop();
    waiting.shift()!();
  }
}

/**
 * A time slice of long synchronous work: `if (slice.isOver) await slice.yield()` between its small steps keeps the
 * process responsive.
 */
export class TimeSlice {
  #since = performance.now();

  constructor(
    /** Milliseconds of work between two yields. */
    readonly lengthMs = 2,
  ) {}

  /** True when it is time to yield; cheaper than a needless `await`. */
  get isOver(): boolean {
    return performance.now() - this.#since > this.lengthMs;
  }

  /** Yields to the event loop, then starts the next slice. However much is under way, a turn of the loop has one slice. */
  async yield(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) void goOnInTurn();
    });
    this.#since = performance.now();
  }
}

/** Maps items in slices of time; throws `aborted` between two of them when the signal fires. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  map: (item: T, index: number, slice: TimeSlice) => R | Promise<R>,
): Promise<R[]> {
  const slice = new TimeSlice();
  const mapped: R[] = [];
  for (let i = 0; i < items.length; i++) {
    if (slice.isOver) {
      await slice.yield();
      throwIfAborted(signal);
    }
    const result = map(items[i], i, slice);
    mapped.push(result instanceof Promise ? await result : result);
  }
  return mapped;
}

/** Runs steps in slices of time; throws `aborted` between two of them when the signal fires. */
export async function inSlices<R>(steps: Generator<void, R>, signal: AbortSignal | undefined): Promise<R> {
  const slice = new TimeSlice();
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      if (!slice.isOver) continue;
      await slice.yield();
      throwIfAborted(signal);
    }
  } finally {
    // Steps that were given up end what they began.
    steps.return(undefined as R);
  }
}

/** Runs steps at once. */
export function atOnce<R>(steps: Generator<void, R>): R {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
