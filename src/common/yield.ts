/** Lets timers, sockets and workers run before the caller goes on. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * A time slice of long synchronous work: `if (slice.isOver) await slice.yield()` between its small steps keeps the
 * process responsive.
 */
export class TimeSlice {
  #since = performance.now();

  constructor(
    /** Milliseconds of work between two yields. */
    readonly lengthMs = 5,
  ) {}

  /** True when it is time to yield; cheaper than a needless `await`. */
  get isOver(): boolean {
    return performance.now() - this.#since > this.lengthMs;
  }

  /** Yields to the event loop, then starts the next slice. */
  async yield(): Promise<void> {
    await yieldToEventLoop();
    this.#since = performance.now();
  }
}
