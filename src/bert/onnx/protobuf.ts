import { concat } from '../../common/concat.js';

const utf8 = new TextEncoder();

/** The wire types of the protobuf encoding that ONNX needs. */
const VARINT = 0;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/**
 * A protobuf message under construction, kept as a list of byte chunks: large payloads (weights) are referenced, never
 * copied, and for a nested message only its length is added.
 */
export class Message {
  readonly chunks: Uint8Array[] = [];
  byteLength = 0;

  /** int32, int64, bool or enum. */
  integer(field: number, value: number | bigint): this {
    return this.#push(joined(varint(tag(field, VARINT)), varint(value)));
  }

  float(field: number, value: number): this {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setFloat32(0, value, true);
    return this.#push(joined(varint(tag(field, FIXED32)), bytes));
  }

  string(field: number, value: string): this {
    return this.bytes(field, utf8.encode(value));
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#delimited(field, [value], value.byteLength);
  }

  /** Repeated integers, packed as proto3 does. */
  integers(field: number, values: readonly (number | bigint)[]): this {
    return values.length === 0 ? this : this.bytes(field, joined(...values.map(varint)));
  }

  message(field: number, value: Message): this {
    return this.#delimited(field, value.chunks, value.byteLength);
  }

  /** One contiguous copy, for small messages. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return joined(...this.chunks);
  }

  #delimited(field: number, chunks: readonly Uint8Array[], length: number): this {
    this.#push(joined(varint(tag(field, LENGTH_DELIMITED)), varint(length)));
    // One by one: a large graph has more chunks than a call may have arguments.
    for (const chunk of chunks) this.#push(chunk);
    return this;
  }

  #push(bytes: Uint8Array): this {
    this.chunks.push(bytes);
    this.byteLength += bytes.byteLength;
    return this;
  }
}

function tag(field: number, wireType: number): number {
  return field * 8 + wireType;
}

const joined = (...parts: readonly Uint8Array[]) => concat(Uint8Array, parts);

/** Base-128, low group first; negative numbers are the ten bytes of their 64-bit two's complement. */
function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const group = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? group | 0x80 : group);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
