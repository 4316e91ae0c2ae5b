/**
 * Lets one caller a turn of the event loop go on. Reading a request in is a millisecond of work that cannot be
 * interrupted; a crowd of them, one after the other, would keep waiting those who need only to be turned away.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when it is the caller's turn: at once where nobody has had this one. */
  async next(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#take();
    return undefined;
  }

  #take(): void {
    this.#isTaken = true;
    // Sockets and answers of workers are looked at in between.
    setImmediate(() => {
      this.#isTaken = false;
      const first = this.#waiting.shift();
      if (!first) return;
      this.#take();
      first();
    });
  }
}
