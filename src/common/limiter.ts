import { throwIfAborted } from './errors.js';
import { TransientFailure } from './retry.js';

/** When requests to a server that keeps failing are suspended, and for how long. */
export interface CircuitOptions {
  /** Failures in a row after which requests are suspended. */
  readonly failures: number;
  readonly pauseMs: number;
}

interface Waiting {
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Limits the calls that run at once. The limit adapts as TCP's window does: halved when the server says that it has too
 * much to do, one more after as many successes as are allowed at once.
 *
 * With a circuit, a server that keeps failing is left alone: calls fail at once until the pause is over. Then one call
 * at a time is let through, and the others wait for its outcome.
 */
export class Limiter {
  #allowed: number;
  #running = 0;
  #successes = 0;
  #failures = 0;
  #notBefore = 0;
  readonly #waiting: Waiting[] = [];

  constructor(
    readonly most: number,
    private readonly circuit: CircuitOptions = { failures: Infinity, pauseMs: 0 },
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#allowed = most;
  }

  /** Calls that may run at once at the moment. */
  get allowed(): number {
    return this.#isBroken ? 1 : this.#allowed;
  }

  /** True while the server is left alone. */
  get isOpen(): boolean {
    return this.#isBroken && this.now() < this.#notBefore;
  }

  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      const result = await action();
      this.#failures = 0;
      if (++this.#successes >= this.#allowed && this.#allowed < this.most) {
        this.#allowed++;
        this.#successes = 0;
      }
      return result;
    } catch (error) {
      // A call that was cancelled says nothing about the server.
      if (!signal?.aborted) this.#recordFailure(error);
      throw error;
    } finally {
      this.#running--;
      this.#admit();
    }
  }

  /** Halves the number of calls at once: the server has too much to do. */
  slowDown(): void {
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#successes = 0;
  }

  get #isBroken(): boolean {
    return this.#failures >= this.circuit.failures;
  }

  /** A server that is overloaded, or refuses a request, is alive. */
  #recordFailure(error: unknown): void {
    this.#failures = error instanceof TransientFailure && !error.overload ? this.#failures + 1 : 0;
    if (!this.#isBroken) return;
    this.#notBefore = this.now() + this.circuit.pauseMs;
    for (const { refuse } of this.#waiting.splice(0)) refuse(this.#leftAlone());
  }

  #leftAlone(): TransientFailure {
    return new TransientFailure(`the server failed ${this.#failures} times in a row and is left alone`, {
      retryAfterMs: this.#notBefore - this.now(),
    });
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    if (this.isOpen) throw this.#leftAlone();
    if (this.#running < this.allowed) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        signal?.removeEventListener('abort', abort);
        finish();
      };
      const waiting: Waiting = {
        admit: () => settle(resolve),
        refuse: (error) => settle(() => reject(error)),
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(waiting);
    }).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
  }

  /** An admitted call counts as running at once, or two could take one place. */
  #admit(): void {
    while (this.#running < this.allowed && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()!.admit();
    }
  }
}
