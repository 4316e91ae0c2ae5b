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

/** TensorFlow's type of strings: the object graph of TensorFlow 2, never weights. */
export const TENSORFLOW_STRING = 7;

/** The index's own header, under the empty key (BundleHeaderProto). */
export function parseBundleHeader(bytes: Uint8Array): {
  readonly shards: number;
  readonly bigEndian: boolean;
} {
  const fields = new Map(protobufFields(bytes));
  return { shards: number(fields.get(1)), bigEndian: number(fields.get(2)) !== 0 };
}

export function parseBundleEntry(bytes: Uint8Array): BundleEntry {
  const fields = new Map(protobufFields(bytes));
  return {
    type: number(fields.get(1)),
    shape: parseShape(message(fields.get(2))),
    shard: number(fields.get(3)),
    offset: number(fields.get(4)),
    length: number(fields.get(5)),
    checksum: number(fields.get(6)),
    sliced: fields.has(7),
  };
}

/** TensorShapeProto: field 2 repeats a dimension, whose field 1 is its size. */
function parseShape(bytes: Uint8Array): number[] {
  const dimensions = [...protobufFields(bytes)].filter(([field]) => field === 2);
  return dimensions.map(([, value]) => number(new Map(protobufFields(message(value))).get(1)));
}

type FieldValue = number | Uint8Array;

/** The fields of a protocol-buffer message, in order: numbers, or the bytes of strings and inner messages. */
function* protobufFields(bytes: Uint8Array): Generator<[field: number, value: FieldValue]> {
  const reader = new FieldReader(bytes);
  while (!reader.atEnd) {
    const tag = reader.varint();
    yield [Math.floor(tag / 8), protobufValue(reader, tag % 8)];
  }
}

function protobufValue(reader: FieldReader, wireType: number): FieldValue {
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

/** The number of a field; 0 where it is absent. */
function number(value: FieldValue = 0): number {
  if (typeof value === 'number') return value;
  throw new RangeError('a number was expected');
}

function message(value: FieldValue = new Uint8Array()): Uint8Array {
  if (typeof value !== 'number') return value;
  throw new RangeError('a message was expected');
}
