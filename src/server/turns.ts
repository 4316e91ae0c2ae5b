/**
 * Turns of the event loop that may pass while others keep coming. Node accepts one connection a turn; a crowd is
 * through the door in as many turns, each a fraction of a millisecond long.
 */
const mostPassed = 64;

/**
 * Reading a request in is a millisecond of work that cannot be interrupted. Those who wait for it go one after the
 * other, and only when nobody stands at the door: whoever is to be turned away should not have to wait for them.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #arrivals = 0;

  /** Somebody stands at the door: a connection, or a request on one. */
  arrived(): void {
    this.#arrivals++;
  }

  /** Resolves when it is the caller's turn: at once where nobody else has just had one. */
  async next(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return undefined;
  }

  #take(): void {
    this.#isTaken = true;
    this.#pass(0, this.#arrivals);
  }

  /** Sockets and the answers of workers are looked at before this turn ends. */
  #pass(passed: number, arrivals: number): void {
    setImmediate(() => {
      const isQuiet = passed > 0 && this.#arrivals === arrivals;
      if (this.#waiting.length > 0 && !isQuiet && passed < mostPassed) {
        this.#pass(passed + 1, this.#arrivals);
        return;
      }
      this.#isTaken = false;
      const first = this.#waiting.shift();
      if (!first) return;
      this.#take();
      first();
    });
  }
}
