/** A value that is made on first use. After a failure the next use makes it anew. */
export class Lazy<T> {
  #made: Promise<T> | undefined;

  constructor(private readonly make: () => Promise<T>) {}

  get(): Promise<T> {
    if (this.#made) return this.#made;
    const making = this.make().catch((error: unknown) => {
      if (this.#made === making) this.#made = undefined;
      throw error;
    });
    this.#made = making;
    return making;
  }

  /** The value, to be closed, if it was made; the next use makes it anew. */
  async take(): Promise<T | undefined> {
    const made = this.#made;
    this.#made = undefined;
    return made?.catch(() => undefined);
  }
}
