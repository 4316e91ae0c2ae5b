import { describe, expect, it } from 'vitest';
import { budgetFor, sequenceLength, writeSequence } from '../../../src/bert/sequence.js';
import type { PairTemplate } from '../../../src/bert/types.js';

const bert: PairTemplate = { before: [2], between: [3], after: [3], secondSegment: 1, pad: 0 };
const roberta: PairTemplate = { before: [0], between: [2, 2], after: [2], secondSegment: 0, pad: 1 };

describe('sequences', () => {
  it('keep 126 and 254 pieces at the published 384 tokens', () => {
    expect(budgetFor(384, bert)).toEqual({ first: 126, second: 254 });
  });

  it('share other lengths out in the same proportion and never exceed them', () => {
    expect(budgetFor(192, bert)).toEqual({ first: 62, second: 126 });
    for (const template of [bert, roberta]) {
      for (let length = 16; length <= 512; length++) {
        const { first, second } = budgetFor(length, template);
        const whole = sequenceLength(template, new Int32Array(first), new Int32Array(second));
        expect(whole).toBeLessThanOrEqual(length);
        expect(whole).toBeGreaterThanOrEqual(length - 1);
      }
    }
  });

  it('refuse a length without room for two texts', () => {
    expect(() => budgetFor(8, bert)).toThrow(/length of 8 leaves no room/);
  });

  it('put the texts between the special tokens and tell where the second begins', () => {
    const ids = new Int32Array(9).fill(-1);
    expect(writeSequence(ids, 1, roberta, Int32Array.of(7), Int32Array.of(8, 9))).toBe(4);
    expect([...ids]).toEqual([-1, 0, 7, 2, 2, 8, 9, 2, -1]);
    expect(sequenceLength(roberta, Int32Array.of(7), Int32Array.of(8, 9))).toBe(7);
  });
});
