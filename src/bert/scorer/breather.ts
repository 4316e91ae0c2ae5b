/** Longest stretch of work on the main thread before timers and sockets get their turn. */
const SLICE_MS = 5;

/** Keeps the event loop turning during long synchronous work: `await breathe()` between its small steps. */
export class Breather {
  #since = performance.now();

  /** True when it is time to `await breathe()`; cheaper to ask than to await. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async breathe(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
