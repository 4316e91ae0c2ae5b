import { throwIfAborted } from '../../common/errors.js';
import { Transient } from './patience.js';

/**
 * Leaves a server alone that keeps failing: after some failures in a row calls fail at once, until a pause is over;
 * then one call is let through, and what becomes of it decides.
 */
export class CircuitBreaker {
  #failures = 0;
  #openUntil = 0;
  /** The call that finds out whether the server is back: fulfilled when it is over, whatever became of it. */
  #probe: Promise<void> | undefined;

  constructor(
    /** Failures in a row that open the circuit. */
    readonly threshold = 5,
    readonly pauseMs = 5000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get isOpen(): boolean {
    return this.#failures >= this.threshold && (this.#probe !== undefined || this.now() < this.#openUntil);
  }

  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    // Nothing has failed for those who come meanwhile: they wait to hear.
    while (this.#probe) await overOrAborted(this.#probe, signal);
    if (this.isOpen) {
      throw new Transient(`the server failed ${this.#failures} times in a row and is left alone`, {
        retryAfterMs: this.#openUntil - this.now(),
      });
    }
    return this.#failures >= this.threshold ? this.#probing(action, signal) : this.#judged(action, signal);
  }

  async #probing<T>(action: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    let over!: () => void;
    this.#probe = new Promise((resolve) => (over = resolve));
    try {
      return await this.#judged(action, signal);
    } finally {
      this.#probe = undefined;
      over();
    }
  }

  async #judged<T>(action: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      const result = await action();
      this.#failures = 0;
      return result;
    } catch (error) {
      // A call that was given up says nothing of the server.
      if (signal?.aborted) throw error;
      // A server that asks for patience, or refuses what we sent, is alive.
      if (error instanceof Transient && !error.overload) {
        this.#failures++;
        this.#openUntil = this.now() + this.pauseMs;
      } else {
        this.#failures = 0;
      }
      throw error;
    }
  }
}

/** Waits for a promise that does not reject; throws when the signal fires first. */
async function overOrAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  throwIfAborted(signal);
  await new Promise<void>((resolve) => {
    const done = (): void => {
      signal?.removeEventListener('abort', done);
      resolve();
    };
    signal?.addEventListener('abort', done, { once: true });
    void promise.then(done);
  });
  throwIfAborted(signal);
}
