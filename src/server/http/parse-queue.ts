/**
 * Turns of the event loop for which a queued request waits while connections keep arriving. Node accepts one
 * connection a turn.
 */
const maxTurns = 64;

/**
 * The order in which requests are parsed. Parsing one blocks the event loop for about a millisecond, so queued requests
 * go one a turn, and only when nothing else arrives: a request that will be refused does not wait for them.
 */
export class ParseQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #arrivals = 0;

  /** Notes the arrival of a connection or of a request on one. */
  noteArrival(): void {
    this.#arrivals++;
  }

  /** Resolves when the caller may parse: at once unless another has just done so. */
  async next(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return undefined;
  }

  #take(): void {
    this.#isTaken = true;
    this.#passTurn(0, this.#arrivals);
  }

  #passTurn(passed: number, arrivals: number): void {
    setImmediate(() => {
      const isQuiet = passed > 0 && this.#arrivals === arrivals;
      if (this.#waiting.length > 0 && !isQuiet && passed < maxTurns) {
        this.#passTurn(passed + 1, this.#arrivals);
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
