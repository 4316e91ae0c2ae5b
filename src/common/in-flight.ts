/** A bounded set of running promises, for one waiter. The first failure is kept and rejects every wait. */
export class InFlight {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly limit: number) {}

  add(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.fail(error))
      .finally(() => {
        this.#running.delete(tracked);
        this.#wake?.();
      });
    this.#running.add(tracked);
  }

  /** Rejects every wait, present and future; running promises end unnoticed. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  /** Waits until one more may be added. */
  async room(): Promise<void> {
    await this.#until(() => this.#running.size < this.limit);
  }

  /** Waits until all are done. */
  async drained(): Promise<void> {
    await this.#until(() => this.#running.size === 0);
  }

  /** Waits until all have ended, whatever has failed; never rejects. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async #until(met: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      if (met()) return;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
