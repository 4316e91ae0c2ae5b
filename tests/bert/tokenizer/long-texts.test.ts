import fc from 'fast-check';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CombiningOrder } from '../../../src/bert/tokenizer/combining-order.js';
import { loadTokenizer } from '../../../src/bert/model-folder.js';
import { BertNormalizer, splitWords } from '../../../src/bert/tokenizer/normalizer.js';
import { WordCache, HASH_START } from '../../../src/bert/tokenizer/word-cache.js';
import { IdBuffer } from '../../../src/bert/tokenizer/id-buffer.js';
import { propertyTable, DECOMPOSING, MARK } from '../../../src/bert/tokenizer/unicode.js';

const tinyModel = fileURLToPath(new URL('../../../models/tiny', import.meta.url));
const options = { cleanText: true, splitIdeographs: true, stripAccents: true, lowerCase: true };
const normalizer = new BertNormalizer(options);
const order = new CombiningOrder();

const decomposing = [...propertyTable().entries()]
  .filter(([code, is]) => is & DECOMPOSING && (code < 0xac00 || code > 0xac40))
  .map(([code]) => String.fromCodePoint(code));
const combining = decomposing.filter((character) => order.isCombining(character.codePointAt(0)!));
/** Characters that marks change places with and that do not vanish. */
const kept = combining.filter((mark) => !(propertyTable()[mark.codePointAt(0)!] & MARK));

const runs = (characters: readonly string[], most: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength: most }).map((run) => run.join(''));

/** Long texts without white space, of everything that can go wrong where they are cut. */
const longTexts = fc
  .array(
    fc.oneof(
      runs(decomposing, 40),
      runs(combining, 400),
      runs(kept, 400),
      runs(
        ['a', 'B', 'é', 'ﬁ', 'ı', 'İ', '\u00ad', '.', '[', '語', '𠀀', '\ud83d', '\udc00', '😀', 'ǅ'],
        300,
      ),
      fc.string({ unit: 'binary', maxLength: 50 }).map((text) => text.replaceAll(/\s/g, '')),
      fc
        .tuple(fc.constantFrom('w', 'ä', '한', '가'), fc.nat(600))
        .map(([letter, count]) => letter.repeat(count)),
    ),
    { minLength: 4, maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** The normaliser as the original has it: each run is decomposed at once. */
function plainly(text: string): string {
  const properties = propertyTable();
  const whole = new BertNormalizer({ ...options, stripAccents: false, lowerCase: false }).normalize(text);
  let stripped = '';
  for (const run of whole.match(pattern(decomposing)) ?? []) {
    const isRun = (properties[run.codePointAt(0)!] & DECOMPOSING) !== 0;
    for (const character of isRun ? run.normalize('NFD') : run) {
      if (!(properties[character.codePointAt(0)!] & MARK)) stripped += character;
    }
  }
  return new BertNormalizer({
    ...options,
    cleanText: false,
    splitIdeographs: false,
    stripAccents: false,
  }).normalize(stripped);
}

let runPattern: RegExp | undefined;

/** Runs of the characters, Hangul too, and runs of all others. */
function pattern(characters: readonly string[]): RegExp {
  const group = `${characters.map((character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).join('')}\\uac00-\\uac40`;
  return (runPattern ??= new RegExp(`[${group}]+|[^${group}]+`, 'gu'));
}

describe('long texts without white space', () => {
  test('are normalised as the original does', () => {
    fc.assert(
      fc.property(longTexts, (text) => {
        expect(normalizer.normalize(text)).toBe(plainly(text));
      }),
    );
  });

  test('have the same tokens whether they are read in sections or whole, and the first of them', async () => {
    const tokenizer = await loadTokenizer(tinyModel);
    fc.assert(
      fc.property(longTexts, fc.integer({ min: 1, max: 300 }), (text, most) => {
        const expected: number[] = [];
        splitWords(plainly(text), (word) => expected.push(...tokenizer.encode(word)));
        expect([...tokenizer.encode(text)]).toEqual(expected);
        expect([...tokenizer.encode(text, most)].slice(0, most)).toEqual(expected.slice(0, most));
      }),
    );
  });

  test('decompose as String#normalize has it', () => {
    fc.assert(
      fc.property(runs([...decomposing, ...combining, ...combining, 'a'], 60), (text) => {
        expect(order.decompose(text)).toBe(text.normalize('NFD'));
      }),
    );
  });

  test.each([
    ['marks of two classes', '\u0301\u0316'],
    ['marks that stay', '\u{1d165}\u{1d16d}'],
    ['a letter with marks', 'a\u0301\u0316'],
    ['Hangul', '각'],
    ['capitals with dots', 'A\u0130'],
  ])('of %s take time in proportion to their length', async (_, piece) => {
    const tokenizer = await loadTokenizer(tinyModel);
    const cpu = (count: number): number => {
      const text = piece.repeat(count);
      const least = [1, 2, 3].map(() => {
        const { user } = process.cpuUsage();
        tokenizer.encode(text, 254);
        return process.cpuUsage().user - user;
      });
      return Math.min(...least) / 1000;
    };
    cpu(1000);
    // The square of it would be sixteen times as long.
    expect(cpu(200_000)).toBeLessThan(8 * cpu(50_000) + 20);
  });
});

const units = (word: number) => Uint16Array.of(word, word);

describe('the cache of words', () => {
  test('keeps few words of one hash, so that none takes many steps to look up', () => {
    const cache = new WordCache();
    const out = new IdBuffer();
    const find = (word: number): boolean => {
      out.length = 0;
      return cache.appendTo(out, units(word), 0, 2, HASH_START);
    };
    for (let word = 0; word < 1000; word++) {
      out.length = 0;
      out.push(word);
      cache.remember(units(word), 0, 2, HASH_START, out, 0);
      expect(find(word) && out.at(0) === word).toBe(true);
    }
    const found = Array.from({ length: 1000 }, (_, word) => word).filter(find);
    expect(found.length).toBeLessThanOrEqual(32);
  });
});
