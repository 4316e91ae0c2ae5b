import { describe, expect, test } from 'vitest';
import { paperCost, publishedFlops } from '../../src/expansion/paper-cost.js';
import { parseVariant } from '../../src/expansion/variant.js';
import { windowSpans } from '../../src/expansion/index.js';

describe("the paper's FLOPs", () => {
  test.each(Object.entries(publishedFlops))('%s costs %dx BERT-Large, within .01', (variant, figure) => {
    expect(Math.abs(paperCost(parseVariant(variant)).relative - figure)).toBeLessThan(0.01);
  });

  test('are the printed figures to the digit, but for LML', () => {
    const differing = Object.entries(publishedFlops)
      .filter(
        ([variant, figure]) => paperCost(parseVariant(variant)).relative.toFixed(2) !== figure.toFixed(2),
      )
      .map(([variant]) => variant);
    expect(differing).toEqual(['LML']);
  });

  test('cannot be those that are printed for LLL, LMM and LML at once, whatever is counted', () => {
    // With n sequences of phase two for 1000 of phase one, and M as a share of L, rounded to two decimals:
    // LLL = 11 + n, LMM = 1 + (n + 10) M and LML = 11 + n M.
    const [leastN, mostN] = [publishedFlops.LLL - 0.005 - 11, publishedFlops.LLL + 0.005 - 11];
    const leastM = (publishedFlops.LMM - 0.005 - 1) / (mostN + 10);
    expect(11 + leastN * leastM).toBeGreaterThan(publishedFlops.LML + 0.005);
  });

  test('of BERT-Large are 232.6 T a query, of BERT-QE-LLL 2603 T', () => {
    expect((paperCost(parseVariant('L')).flops / 1e12).toFixed(1)).toBe('232.6');
    expect((paperCost(parseVariant('LLL')).flops / 1e12).toFixed(0)).toBe('2603');
  });

  test('count 1000 documents, 190 chunks and 10,000 pairs', () => {
    const { phaseOne, phaseTwo, phaseThree } = paperCost(parseVariant('BERT-QE-LMT'));
    expect(phaseOne).toMatchObject({ size: 'L', sequences: 1000 });
    expect(phaseTwo).toMatchObject({ size: 'M', sequences: 190 });
    expect(phaseThree).toMatchObject({ size: 'T', sequences: 10_000 });
    // 19 is what the windows give for a passage of 100 words.
    expect(windowSpans(100, { length: 10, overlap: 5 }).length).toBe(19);
  });

  test('follow kd, kc, the chunks of a passage and the depth', () => {
    const cost = paperCost(parseVariant('lsm'), { depth: 100, kd: 5, kc: 20, chunkWords: 20 });
    expect(cost.phaseOne.sequences).toBe(100);
    expect(cost.phaseTwo?.sequences).toBe(45);
    expect(cost.phaseThree?.sequences).toBe(2000);
    // No more feedback documents than there are documents.
    expect(paperCost(parseVariant('LSM'), { depth: 3 }).phaseTwo?.sequences).toBe(57);
  });
});

describe('a variant', () => {
  test('is a letter per phase, or one for MaxP', () => {
    expect(parseVariant('BERT-QE-LMT')).toEqual({
      name: 'BERT-QE-LMT',
      phaseOne: 'L',
      expansion: { phaseTwo: 'M', phaseThree: 'T' },
    });
    expect(parseVariant('b')).toEqual({ name: 'BERT-Base', phaseOne: 'B' });
    expect(parseVariant('BERT-Base')).toEqual(parseVariant('B'));
  });

  test.each([
    ['LXT', /no size "X"/],
    ['LL', /one letter \(MaxP\) or three/],
    ['', /one letter/],
  ])('%j is refused with the reason', (text, reason) => {
    expect(() => parseVariant(text)).toThrow(reason);
  });
});
