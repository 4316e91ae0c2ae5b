import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packedInputs } from '../../../src/bert/scorer/packed-batches.js';

describe('the inputs of packed sequences', () => {
  it('say where sequences start, what each token’s slot is, and where it stands once they are padded', () => {
    const { slots, starts, places, longest } = packedInputs(
      Int32Array.of(1, 1, 2),
      Int32Array.of(1, 2, 4),
      512,
    );
    expect([...starts]).toEqual([0, 1, 3, 7]);
    expect([...slots]).toEqual([0, 0, 513, 0, 1, 514, 515]);
    expect(longest).toBe(4);
    expect([...places]).toEqual([0, 4, 5, 8, 9, 10, 11, 1, 2, 3, 6, 7]);
  });

  it('name every place once, those of tokens first and in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), (lengths) => {
        const { starts, places, longest } = packedInputs(
          Int32Array.from(lengths, () => 1),
          Int32Array.from(lengths),
          512,
        );
        expect([...places].sort((a, b) => a - b)).toEqual([...places.keys()]);
        lengths.forEach((length, row) => {
          const own = [...places.subarray(starts[row], starts[row] + length)];
          expect(own).toEqual(Array.from({ length }, (_, position) => row * longest + position));
        });
      }),
    );
  });
});
