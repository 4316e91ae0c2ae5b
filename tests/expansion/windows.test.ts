import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countWords, windowSpans, wordsOf } from '../../src/expansion/index.js';
import { collapsed } from '../../src/expansion/windows.js';
import { naivePieces } from './naive.js';

const shape = fc
  .integer({ min: 1, max: 30 })
  .chain((length) =>
    fc.record({ length: fc.constant(length), overlap: fc.integer({ min: 0, max: length - 1 }) }),
  );

describe('windows', () => {
  test('start every length-overlap words, cover every word, and follow the tail rule', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), shape, (words, { length, overlap }) => {
        const spans = windowSpans(words, { length, overlap });
        expect(spans.length === 0).toBe(words === 0);
        spans.forEach(({ start, end }, i) => {
          expect(start).toBe(i * (length - overlap));
          const isLast = i === spans.length - 1;
          if (!isLast) {
            expect(end - start).toBe(length);
            // Another follows only when at least `overlap` words (and one) are left after this one.
            expect(words - end).toBeGreaterThanOrEqual(Math.max(1, overlap));
          } else {
            expect(end).toBe(words);
            expect(end - start).toBeLessThan(length + Math.max(1, overlap));
            // A half shared, as passages and chunks have it, leaves no short one at the end.
            if (words >= length && 2 * overlap >= length) expect(end - start).toBeGreaterThanOrEqual(length);
          }
        });
        // No window is a suffix of another: ends differ.
        expect(new Set(spans.map(({ end }) => end)).size).toBe(spans.length);
      }),
      { numRuns: 200 },
    );
  });

  test('hold the words that plain slicing gives', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), shape, (count, { length, overlap }) => {
        const words = Array.from({ length: count }, (_, i) => `w${i}`);
        const texts = windowSpans(count, { length, overlap }).map(({ start, end }) =>
          words.slice(start, end).join(' '),
        );
        expect(texts).toEqual(naivePieces(words, length, overlap));
      }),
    );
  });

  test.each([
    [100, ['0-100']],
    [149, ['0-149']],
    [150, ['0-100', '50-150']],
    [199, ['0-100', '50-199']],
    [200, ['0-100', '50-150', '100-200']],
    [1, ['0-1']],
    [0, []],
  ])('of 100 words that overlap by 50 over %d words lie where the paper cuts', (words, expected) => {
    const spans = windowSpans(words, { length: 100, overlap: 50 });
    expect(spans.map(({ start, end }) => `${start}-${end}`)).toEqual(expected);
  });
});

describe('words', () => {
  test('are what white space of any kind leaves', () => {
    expect(wordsOf('  shock \n\twave\u00a0on  plate ')).toEqual(['shock', 'wave', 'on', 'plate']);
    expect(wordsOf(' \n ')).toEqual([]);
  });
});

describe('collapsed white space', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '語',
    '\ud83d',
    ' ',
    '  ',
    '\t',
    '\n',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '\u200b',
    '\u0085',
  );

  test('leaves one space between words, whatever separates them', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const given = pieces.join('');
        const words = wordsOf(given);
        const { text, starts } = collapsed(given);
        expect(text).toBe(words.join(' '));
        expect(starts.slice(0, -1).map((start, i) => text.slice(start, starts[i + 1] - 1))).toEqual(words);
        expect(countWords(given)).toBe(words.length);
      }),
      { numRuns: 1000 },
    );
  });
});
