import { throwIfAborted } from '../../common/errors.js';

/**
 * Lets a number of calls run at once. The number adapts as TCP's window does: halved when the server says that it
 * has too much to do, one more after as many successes as are allowed at once.
 */
export class Limiter {
  #allowed: number;
  #running = 0;
  #successes = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly most: number) {
    this.#allowed = most;
  }

  /** How many may run at the moment. */
  get allowed(): number {
    return this.#allowed;
  }

  async run<T>(action: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      const result = await action();
      if (++this.#successes >= this.#allowed && this.#allowed < this.most) {
        this.#allowed++;
        this.#successes = 0;
      }
      return result;
    } finally {
      this.#running--;
      this.#admit();
    }
  }

  /** The server has too much to do. */
  slowDown(): void {
    this.#allowed = Math.max(1, Math.floor(this.#allowed / 2));
    this.#successes = 0;
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    throwIfAborted(signal);
    if (this.#running < this.#allowed) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admitted = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(admitted), 1);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.push(admitted);
    }).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
  }

  /** Whoever is let in is counted at once, or two could take one place. */
  #admit(): void {
    while (this.#running < this.#allowed && this.#waiting.length > 0) {
      this.#running++;
      this.#waiting.shift()!();
    }
  }
}
