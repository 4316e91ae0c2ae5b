import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Message } from '../../../src/bert/onnx/protobuf.js';

/** Fields as an independent reader of the wire format sees them. */
function fields(bytes: Uint8Array): [field: number, value: bigint | Uint8Array][] {
  const read: [number, bigint | Uint8Array][] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const length = { 0: 0, 2: -1, 5: 4 }[tag & 7]!;
    if (length === 0) {
      read.push([tag >> 3, varint()]);
    } else {
      const size = length < 0 ? Number(varint()) : length;
      read.push([tag >> 3, bytes.slice(at, (at += size))]);
    }
  }
  return read;
}

describe('protobuf messages', () => {
  it('encodes the example of the format description: 150 in field 1 is 08 96 01', () => {
    expect([...new Message().integer(1, 150).toBytes()]).toEqual([0x08, 0x96, 0x01]);
  });

  it('writes any 64-bit integer so that it can be read back', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.integer({ min: 1, max: 2000 }),
        (n, field) => {
          const [[readField, value]] = fields(new Message().integer(field, n).toBytes());
          expect(readField).toBe(field);
          expect(BigInt.asIntN(64, value as bigint)).toBe(n);
        },
      ),
    );
  });

  it('nests messages and keeps byteLength equal to what is written', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), fc.array(fc.integer()), (payload, text, numbers) => {
        const inner = new Message().bytes(3, payload).string(4, text).integers(5, numbers);
        const outer = new Message().integer(1, 7).message(2, inner).float(9, 1.5);
        expect(outer.toBytes().byteLength).toBe(outer.byteLength);
        const [, [, nested], [, float]] = fields(outer.toBytes());
        const read = fields(nested as Uint8Array);
        expect(read[0]).toEqual([3, payload]);
        expect(new TextDecoder().decode(read[1][1] as Uint8Array)).toBe(text.toWellFormed());
        expect(read.length).toBe(numbers.length === 0 ? 2 : 3);
        expect([...(float as Uint8Array)]).toEqual([0, 0, 0xc0, 0x3f]);
      }),
    );
  });

  it('refers to large payloads instead of copying them', () => {
    const payload = new Uint8Array(1 << 20);
    const message = new Message().message(1, new Message().bytes(2, payload));
    expect(message.chunks.some((chunk) => chunk === payload)).toBe(true);
  });

  it('takes in a message of more parts than a call may have arguments', () => {
    const inner = new Message();
    for (let i = 0; i < 300_000; i++) inner.bytes(1, Uint8Array.of(i % 256));
    const outer = new Message().message(2, inner);
    expect(outer.byteLength).toBeGreaterThan(inner.byteLength);
    expect(outer.chunks.length).toBe(inner.chunks.length + 1);
  });
});
