/** Bytes that are decoded at once where they come in smaller pieces. */
const decodedBytes = 16_384;

const whole = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a body, decoded as its bytes arrive: a large one would take a fifth of a second at its end. Small pieces are
 * put together first: a client may send single bytes, and an object for each would take a hundred times their memory.
 */
export class BodyText {
  #first: Buffer | undefined;
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  readonly #parts: string[] = [];
  #small: Buffer | undefined;
  #smallLength = 0;

  /** Adds bytes; throws where they are not UTF-8. */
  add(bytes: Buffer): void {
    // Most bodies come in one piece.
    if (!this.#decoder && !this.#first) {
      this.#first = bytes;
      return;
    }
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true });
    if (this.#first) this.#put(this.#first);
    this.#first = undefined;
    this.#put(bytes);
  }

  /** The text; throws where it is not UTF-8. */
  end(): string {
    if (!this.#decoder) return this.#first ? whole.decode(this.#first) : '';
    this.#decodeSmall();
    this.#parts.push(this.#decoder.decode());
    return this.#parts.join('');
  }

  clear(): void {
    this.#first = this.#small = undefined;
    this.#smallLength = this.#parts.length = 0;
  }

  #put(bytes: Buffer): void {
    if (this.#smallLength + bytes.length > decodedBytes) this.#decodeSmall();
    if (bytes.length >= decodedBytes) return this.#decode(bytes);
    this.#small ??= Buffer.allocUnsafeSlow(decodedBytes);
    this.#smallLength += bytes.copy(this.#small, this.#smallLength);
  }

  #decodeSmall(): void {
    if (this.#small && this.#smallLength > 0) this.#decode(this.#small.subarray(0, this.#smallLength));
    this.#smallLength = 0;
  }

  #decode(bytes: Uint8Array): void {
    this.#parts.push(this.#decoder!.decode(bytes, { stream: true }));
  }
}
