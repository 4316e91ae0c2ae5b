import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { analyzerBases } from '../../../src/retrieval/analysis/bases.js';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';
import { TermCache } from '../../../src/retrieval/analysis/term-cache.js';
import { withUnits } from '../../../src/retrieval/analysis/text-units.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use on the heap, garbage not counted. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** The cache's answer for `text[start, end)`. */
function ask<T>(cache: TermCache<T>, text: string, start = 0, end = text.length): T {
  let value: T | undefined;
  withUnits(text, (units) => {
    value = cache.of(units, start, end);
  });
  return value!;
}

describe('the term cache', () => {
  it('derives a word’s term once and gives the same again', () => {
    const derived: string[] = [];
    const cache = new TermCache((word) => ({ term: word, asked: derived.push(word) }), null, 16);
    const first = ask(cache, 'one two one', 0, 3);
    expect(first).toEqual({ term: 'one', asked: 1 });
    expect(ask(cache, 'one two one', 8, 11)).toBe(first);
    expect(ask(cache, 'xone', 1, 4)).toBe(first);
    expect(derived).toEqual(['one']);
  });

  it('tells apart words that share a slot', () => {
    const cache = new TermCache((word) => word.toUpperCase(), '', 1);
    const words = [
      'a',
      'b',
      'ab',
      'ba',
      'Aa',
      'BB',
      'a',
      'é',
      '漢字',
      '\ud800',
      'b',
      'x'.repeat(24),
      'x'.repeat(25),
    ];
    for (const word of [...words, ...words]) expect(ask(cache, word)).toBe(word.toUpperCase());
  });

  it('remembers no more words than it has slots', () => {
    const slots = 256;
    let derived = 0;
    const cache = new TermCache(() => ++derived, 0, slots);
    const words = Array.from({ length: 10_000 }, (_, i) => `word${i}`);
    for (const word of [...words, ...words]) ask(cache, word);
    expect(derived).toBeGreaterThanOrEqual(2 * words.length - slots);
  });

  it('does not remember very long words', () => {
    let derived = 0;
    const cache = new TermCache(() => ++derived, 0, 16);
    expect([ask(cache, 'x'.repeat(200)), ask(cache, 'x'.repeat(200))]).toEqual([1, 2]);
  });
});

describe.each(analyzerBases)('memory under %s', (base) => {
  const megabyte = 1 << 20;

  it('is not held by texts once they are analysed, though their terms are kept', () => {
    const analyzer = createAnalyzer({ base });
    const before = heapUsed();
    const kept = Array.from({ length: 10 }, (_, i) => {
      const word = `consonant${String.fromCharCode(97 + i)}vowel`;
      const long = 'é'.repeat(40);
      return analyzer.analyze(`${word} ${word.toUpperCase()} ${long}${i} ${' '.repeat(2 * megabyte)}`);
    });
    expect(heapUsed() - before).toBeLessThan(5 * megabyte);
    expect(kept.flat().length).toBeGreaterThan(20);
  });

  it('does not grow with the number of distinct words', () => {
    const analyzer = createAnalyzer({ base });
    const analyzeMany = (from: number): void => {
      for (let i = from; i < from + 200_000; i += 100) {
        analyzer.analyze(Array.from({ length: 100 }, (_, k) => letters(i + k)).join(' '));
      }
    };
    analyzeMany(0);
    const before = heapUsed();
    analyzeMany(200_000);
    expect(heapUsed() - before).toBeLessThan(4 * megabyte);
  });
});

/** A number as letters: `ab`, `ac`, … */
function letters(n: number): string {
  return `q${n.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))}z`;
}
