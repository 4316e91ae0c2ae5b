/** The function with its results kept: it is called once for each argument. */
export function memoised<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = make(key)));
    return value;
  };
}

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
