import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyText } from '../../src/server/http/body-text.js';
import { HeldMemory } from '../../src/server/http/held-memory.js';

/** The text of bytes that come in pieces of these sizes, again and again. */
function textOf(bytes: Buffer, pieces: readonly number[]): string {
  const text = new BodyText();
  for (let at = 0, i = 0; at < bytes.length; at += pieces[i++ % pieces.length]) {
    text.add(bytes.subarray(at, at + pieces[i % pieces.length]));
  }
  return text.end();
}

describe('the text of a body', () => {
  it('is the same however its bytes come', () => {
    const pieces = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 40_000 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 1, max: 3000 }),
        pieces,
        (text, times, sizes) => {
          const whole = text
            .toWellFormed()
            .repeat(times)
            .replace(/^\ufeff/, '');
          expect(textOf(Buffer.from(whole), sizes)).toBe(whole);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is refused where it is not UTF-8, wherever it is cut', () => {
    for (const bytes of [[0xff], [0xe2, 0x82], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      const body = Buffer.concat([Buffer.alloc(20_000, 'a'), Buffer.from(bytes)]);
      for (const size of [1, 7, 20_001, 40_000]) expect(() => textOf(body, [size])).toThrow();
    }
  });
});

describe('the memory of requests', () => {
  it('is taken from the client that holds most', () => {
    const memory = new HeldMemory(100);
    const dropped: string[] = [];
    const hold = (name: string, client: string, bytes: number, isWhole = true): void => {
      const held = memory.open(client);
      held.isWhole = isWhole;
      held.drop = () => dropped.push(name);
      held.add(bytes);
    };
    hold('small', 'honest', 10);
    hold('first', 'greedy', 40);
    hold('arriving', 'greedy', 30, false);
    hold('another', 'honest', 15);
    expect(dropped).toEqual([]);
    hold('last', 'greedy', 30);
    expect(dropped).toEqual(['arriving']);
    hold('too much', 'greedy', 20);
    expect(dropped).toEqual(['arriving', 'too much']);
    hold('third', 'honest', 10);
    expect(dropped).toEqual(['arriving', 'too much', 'last']);
  });
});
