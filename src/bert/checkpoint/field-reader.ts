/** A reader of consecutive little-endian fields; reading past the end throws a RangeError. */
export class FieldReader {
  position = 0;
  private readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }

  uint8(): number {
    return this.view.getUint8(this.advance(1));
  }

  uint16(): number {
    return this.view.getUint16(this.advance(2), true);
  }

  uint32(): number {
    return this.view.getUint32(this.advance(4), true);
  }

  int32(): number {
    return this.view.getInt32(this.advance(4), true);
  }

  uint64(): bigint {
    return this.view.getBigUint64(this.advance(8), true);
  }

  float64BigEndian(): number {
    return this.view.getFloat64(this.advance(8), false);
  }

  /** A base-128 number of at most 64 bits that a double holds exactly. */
  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.uint8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER)
          throw new RangeError(`number too large at byte ${this.position}`);
        return value;
      }
    }
    throw new RangeError(`endless number at byte ${this.position}`);
  }

  /** A view of the next `length` bytes. */
  take(length: number): Uint8Array {
    const start = this.advance(length);
    return this.bytes.subarray(start, start + length);
  }

  text(length: number): string {
    return Buffer.from(this.take(length)).toString('utf8');
  }

  /** Text up to a newline, which is consumed. */
  line(): string {
    const end = this.bytes.indexOf(0x0a, this.position);
    if (end === -1) throw new RangeError(`unfinished line at byte ${this.position}`);
    const text = this.text(end - this.position);
    this.position++;
    return text;
  }

  private advance(length: number): number {
    const start = this.position;
    if (length < 0 || start + length > this.bytes.length) {
      throw new RangeError(`${length} bytes wanted at ${start}, only ${this.bytes.length - start} left`);
    }
    this.position += length;
    return start;
  }
}
