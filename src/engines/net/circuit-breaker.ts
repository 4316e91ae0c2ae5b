import { Transient } from './patience.js';

/**
 * Leaves a server alone that keeps failing: after some failures in a row calls fail at once, until a pause is over;
 * then one call is let through, and what becomes of it decides.
 */
export class CircuitBreaker {
  #failures = 0;
  #openUntil = 0;
  #isProbing = false;

  constructor(
    /** Failures in a row that open the circuit. */
    readonly threshold = 5,
    readonly pauseMs = 5000,
    private readonly now: () => number = () => performance.now(),
  ) {}

  get isOpen(): boolean {
    return this.#failures >= this.threshold && (this.#isProbing || this.now() < this.#openUntil);
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.isOpen) {
      const left = Math.max(this.#openUntil - this.now(), this.pauseMs / 10);
      throw new Transient(`the server failed ${this.#failures} times in a row and is left alone`, {
        retryAfterMs: left,
      });
    }
    const isProbe = this.#failures >= this.threshold;
    if (isProbe) this.#isProbing = true;
    try {
      const result = await action();
      this.#failures = 0;
      return result;
    } catch (error) {
      // A server that asks for patience, or refuses what we sent, is alive.
      if (error instanceof Transient && !error.overload) {
        this.#failures++;
        this.#openUntil = this.now() + this.pauseMs;
      } else {
        this.#failures = 0;
      }
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }
}
