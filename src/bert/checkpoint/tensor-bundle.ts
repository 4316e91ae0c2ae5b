import { FieldReader } from './field-reader.js';

/** The entry of one tensor in TensorFlow's checkpoint index (BundleEntryProto). */
export interface BundleEntry {
  /** TensorFlow's number for the type. */
  readonly type: number;
  readonly shape: readonly number[];
  readonly shard: number;
  readonly offset: number;
  readonly length: number;
  /** Masked CRC-32C of the values. */
  readonly checksum: number;
  /** True for a variable partitioned over several entries. */
  readonly sliced: boolean;
}

/** The index's own header, under the empty key (BundleHeaderProto). */
export interface BundleHeader {
  readonly shards: number;
  readonly bigEndian: boolean;
}

/** TensorFlow's type of strings: the object graph of TensorFlow 2, never weights. */
export const TENSORFLOW_STRING = 7;

export function parseBundleHeader(bytes: Uint8Array): BundleHeader {
  let shards = 0;
  let endianness = 0;
  for (const { field, value } of protobufFields(bytes)) {
    if (field === 1) shards = number(value);
    if (field === 2) endianness = number(value);
  }
  return { shards, bigEndian: endianness !== 0 };
}

export function parseBundleEntry(bytes: Uint8Array): BundleEntry {
  const entry = {
    type: 0,
    shape: [] as number[],
    shard: 0,
    offset: 0,
    length: 0,
    checksum: 0,
    sliced: false,
  };
  for (const { field, value } of protobufFields(bytes)) {
    if (field === 1) entry.type = number(value);
    if (field === 2) entry.shape = parseShape(message(value));
    if (field === 3) entry.shard = number(value);
    if (field === 4) entry.offset = number(value);
    if (field === 5) entry.length = number(value);
    if (field === 6) entry.checksum = number(value);
    if (field === 7) entry.sliced = true;
  }
  return entry;
}

/** TensorShapeProto: field 2 repeats a dimension, whose field 1 is its size. */
function parseShape(bytes: Uint8Array): number[] {
  const shape: number[] = [];
  for (const { field, value } of protobufFields(bytes)) {
    if (field !== 2) continue;
    const size = [...protobufFields(message(value))].find((inner) => inner.field === 1);
    shape.push(size === undefined ? 0 : number(size.value));
  }
  return shape;
}

/** The fields of a protocol-buffer message, in order: numbers, or the bytes of strings and inner messages. */
function* protobufFields(bytes: Uint8Array): Generator<{ field: number; value: number | Uint8Array }> {
  const reader = new FieldReader(bytes);
  while (!reader.atEnd) {
    const tag = reader.varint();
    yield { field: Math.floor(tag / 8), value: protobufValue(reader, tag % 8) };
  }
}

function protobufValue(reader: FieldReader, wireType: number): number | Uint8Array {
  switch (wireType) {
    case 0:
      return reader.varint();
    case 1:
      return reader.take(8);
    case 2:
      return reader.take(reader.varint());
    case 5:
      return reader.uint32();
    default:
      throw new RangeError(`wire type ${wireType} at byte ${reader.position}`);
  }
}

function number(value: number | Uint8Array): number {
  if (typeof value === 'number') return value;
  throw new RangeError('a number was expected');
}

function message(value: number | Uint8Array): Uint8Array {
  if (typeof value !== 'number') return value;
  throw new RangeError('a message was expected');
}
