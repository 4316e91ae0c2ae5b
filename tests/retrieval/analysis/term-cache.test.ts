import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { analyzerBases, createAnalyzer } from '../../../src/retrieval/analysis/index.js';
import { TermCache } from '../../../src/retrieval/analysis/term-cache.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use on the heap, garbage not counted. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('the term cache', () => {
  it('derives a word’s term once and gives the same string again', () => {
    const derived: string[] = [];
    const cache = new TermCache((word) => `${derived.push(word)}:${word}`, '', 16);
    const first = cache.of('one two one', 0, 3);
    expect(cache.of('one two one', 8, 11)).toBe(first);
    expect(cache.of('xone', 1, 4)).toBe(first);
    expect(derived).toEqual(['one']);
  });

  it('tells apart words that share a slot', () => {
    const cache = new TermCache((word) => word.toUpperCase(), '', 1);
    const words = ['a', 'b', 'ab', 'ba', 'Aa', 'BB', 'a', 'é', '漢字', '\ud800', 'b'];
    for (const word of [...words, ...words]) expect(cache.of(word, 0, word.length)).toBe(word.toUpperCase());
  });

  it('remembers no more words than it has slots', () => {
    const slots = 256;
    let derived = 0;
    const cache = new TermCache((word) => `${++derived}${word}`, '', slots);
    const words = Array.from({ length: 10_000 }, (_, i) => `word${i}`);
    for (const word of [...words, ...words]) cache.of(word, 0, word.length);
    expect(derived).toBeGreaterThanOrEqual(2 * words.length - slots);
  });

  it('does not remember very long words', () => {
    let derived = 0;
    const cache = new TermCache((word) => `${++derived}${word}`, '', 16);
    const word = 'x'.repeat(200);
    cache.of(word, 0, word.length);
    cache.of(word, 0, word.length);
    expect(derived).toBe(2);
  });
});

describe.each(analyzerBases)('memory under %s', (base) => {
  const megabyte = 1 << 20;

  it('is not held by texts once they are analysed, though their terms are kept', () => {
    const analyzer = createAnalyzer({ base });
    const before = heapUsed();
    const kept = Array.from({ length: 20 }, (_, i) => {
      const word = `consonant${String.fromCharCode(97 + i)}vowel`;
      const long = 'é'.repeat(40);
      return analyzer.analyze(`${word} ${word.toUpperCase()} ${long}${i} ${' '.repeat(2 * megabyte)}`);
    });
    expect(heapUsed() - before).toBeLessThan(10 * megabyte);
    expect(kept.flat().length).toBeGreaterThan(40);
  });

  it('does not grow with the number of distinct words', () => {
    const analyzer = createAnalyzer({ base });
    const analyzeMany = (from: number): void => {
      for (let i = from; i < from + 300_000; i += 100) {
        analyzer.analyze(Array.from({ length: 100 }, (_, k) => letters(i + k)).join(' '));
      }
    };
    analyzeMany(0);
    const before = heapUsed();
    analyzeMany(300_000);
    expect(heapUsed() - before).toBeLessThan(4 * megabyte);
  });
});

/** A number as letters: `ab`, `ac`, … */
function letters(n: number): string {
  return `q${n.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)))}z`;
}
