/** Things that are opened by key and stay open, until others take their place. */
export class KeptOpen<T extends { close(): Promise<void> }> {
  /** The one used last is at the end. */
  readonly #opened = new Map<string, Promise<T>>();

  constructor(
    /** The number that may be open at a time. */
    private readonly most: number,
  ) {}

  /** The thing of a key, opened where it is not open; before that, the one that was not used for longest is closed. */
  async get(key: string, open: () => Promise<T>): Promise<T> {
    const known = this.#opened.get(key);
    this.#opened.delete(key);
    const opened = known ?? this.#keep(this.most - 1).then(open);
    this.#opened.set(key, opened);
    try {
      return await opened;
    } catch (error) {
      if (this.#opened.get(key) === opened) this.#opened.delete(key);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#keep(0);
  }

  /** Closes all but the `most` that were used last. */
  async #keep(most: number): Promise<void> {
    const closing = [...this.#opened].slice(0, Math.max(0, this.#opened.size - most));
    for (const [key] of closing) this.#opened.delete(key);
    for (const [, opened] of closing) await (await opened.catch(() => undefined))?.close();
  }
}
