/** The memory of one request: the bytes of its body, and what they became when they were parsed. */
export class HeldBody {
  #bytes = 0;
  /** False while the body arrives. */
  isWhole = false;
  /** Gives the request up. */
  drop: () => void = () => {};

  constructor(
    private readonly memory: HeldMemory,
    readonly client: string,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.memory.grow(bytes);
  }

  /** Gives the memory back; may be called again. */
  release(): void {
    this.memory.forget(this);
    this.memory.grow(-this.#bytes);
    this.#bytes = 0;
  }
}

/**
 * The memory that requests take from their first byte to their answer. When there is no room, the client that holds most
 * loses a request: the body that has been arriving for longest, so that slow senders do not make other requests fail, or
 * else its last request.
 */
export class HeldMemory {
  readonly #held = new Set<HeldBody>();
  #bytes = 0;

  constructor(private readonly most: number) {}

  open(client: string): HeldBody {
    const held = new HeldBody(this, client);
    this.#held.add(held);
    return held;
  }

  grow(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0) this.#makeRoom();
  }

  #makeRoom(): void {
    while (this.#bytes > this.most && this.#held.size > 1) {
      const dropped = this.#victim();
      dropped.release();
      dropped.drop();
    }
  }

  forget(held: HeldBody): void {
    this.#held.delete(held);
  }

  #victim(): HeldBody {
    const byClient = new Map<string, number>();
    for (const { client, bytes } of this.#held) byClient.set(client, (byClient.get(client) ?? 0) + bytes);
    const [[largest]] = [...byClient].sort(([, a], [, b]) => b - a);
    const own = [...this.#held].filter(({ client }) => client === largest);
    return own.find(({ isWhole, bytes }) => !isWhole && bytes > 0) ?? own.at(-1)!;
  }
}
