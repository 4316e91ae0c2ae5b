/** How many documents from the beginning are done, where batches finish in any order. */
export class Prefix {
  #done: number;
  #lastId: string | undefined;
  readonly #ahead = new Map<number, { count: number; lastId: string }>();

  constructor(from: number) {
    this.#done = from;
  }

  get done(): number {
    return this.#done;
  }

  /** Id of the last document that is done; undefined before the first. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  add(start: number, count: number, lastId: string): void {
    this.#ahead.set(start, { count, lastId });
    for (let next = this.#ahead.get(this.#done); next; next = this.#ahead.get(this.#done)) {
      this.#ahead.delete(this.#done);
      this.#done += next.count;
      this.#lastId = next.lastId;
    }
  }
}
