import { grown } from '../../common/concat.js';

/** A growing byte buffer; numbers are written as LEB128 varints. It is reused between values to avoid garbage. */
export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 1 << 16) {
    this.bytes = new Uint8Array(capacity);
  }

  reset(): void {
    this.length = 0;
  }

  reserve(count: number): void {
    if (this.length + count > this.bytes.length) this.bytes = grown(this.bytes, this.length + count);
  }

  /** Writes an unsigned integer below 2^32. */
  varint(value: number): void {
    this.reserve(5);
    const { bytes } = this;
    let at = this.length;
    while (value > 127) {
      bytes[at++] = (value & 127) | 128;
      value >>>= 7;
    }
    bytes[at++] = value;
    this.length = at;
  }

  /** Writes an unsigned integer below 2^53, such as the collection frequency of a very common term. */
  varint53(value: number): void {
    while (value > 0xffff_ffff) {
      this.reserve(1);
      this.bytes[this.length++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    this.varint(value);
  }

  /** Writes a length-prefixed UTF-8 string. */
  string(text: string): void {
    const most = text.length * 3;
    // Room for the text and the prefix first: growing keeps finished bytes only.
    this.reserve(most + 10);
    const scratch = encoder.encodeInto(text, this.bytes.subarray(this.length, this.length + most));
    const size = scratch.written;
    // The size is known after encoding, so the text is moved to make room for the prefix.
    const width = size < 128 ? 1 : size < 16384 ? 2 : size < 2_097_152 ? 3 : size < 268_435_456 ? 4 : 5;
    this.bytes.copyWithin(this.length + width, this.length, this.length + size);
    this.varint(size);
    this.length += size;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The bytes written so far; valid until the next write. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

export class ByteReader {
  constructor(
    readonly bytes: Uint8Array,
    public position = 0,
  ) {}

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.position++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let shift = 7;
    do {
      byte = bytes[this.position++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value >>> 0;
  }

  varint53(): number {
    const { bytes } = this;
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[this.position++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  string(): string {
    return decoder.decode(this.take(this.varint()));
  }

  /** The next bytes, as they are. */
  take(count: number): Uint8Array {
    const bytes = this.bytes.subarray(this.position, this.position + count);
    this.position += count;
    return bytes;
  }

  get atEnd(): boolean {
    return this.position >= this.bytes.length;
  }
}

const encoder = new TextEncoder();
// A leading U+FEFF is part of the text, not a byte-order mark.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
