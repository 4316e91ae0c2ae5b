import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BertTokenizer } from '../../../src/bert/tokenizer/bert-tokenizer.js';

const PIECES = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'a',
  'b',
  'ab',
  '##a',
  '##b',
  '##bab',
  'é',
  'e',
  '中',
  '.',
  '!',
];
const vocabulary = new Map(PIECES.map((piece, id) => [piece, id]));

function makeTokenizer(): BertTokenizer {
  return new BertTokenizer({
    vocabulary,
    addedTokens: [],
    template: { before: [2], between: [3], after: [3], secondSegment: 1, pad: 0 },
    unknownId: 1,
    continuingPrefix: '##',
    maxWordCharacters: 100,
    cleanText: true,
    splitIdeographs: true,
    stripAccents: true,
    lowerCase: true,
  });
}

const texts = fc.array(
  fc.constantFrom('a', 'B', 'ab', 'É', 'e\u0301', '中', '.', '!', ' ', '\u00a0', '\u0001', 'z', '𝒳'),
);

describe('BertTokenizer', () => {
  test('takes the longest piece first and gives up on words it cannot cover', () => {
    const tokenizer = makeTokenizer();
    expect([...tokenizer.encode('abab')]).toEqual([6, 7, 8]);
    expect([...tokenizer.encode('abbab')]).toEqual([6, 9]);
    expect([...tokenizer.encode('abz')]).toEqual([1]);
  });

  test('joins words across control characters and splits them at blanks beyond ASCII', () => {
    const tokenizer = makeTokenizer();
    expect([...tokenizer.encode('a\u0001b')]).toEqual([6]);
    expect([...tokenizer.encode('a\u00a0b')]).toEqual([4, 5]);
    expect([...tokenizer.encode('\u3000')]).toEqual([]);
  });

  test('reads half a surrogate pair as the replacement character, which cleaning drops', () => {
    expect([...makeTokenizer().encode('a\ud800b')]).toEqual([6]);
  });

  test('gives the same ids whatever was encoded before', () => {
    const used = makeTokenizer();
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        expect(used.encode(text)).toEqual(makeTokenizer().encode(text));
      }),
      { numRuns: 300 },
    );
  });

  test('encodes words apart from their neighbours across blanks', () => {
    const tokenizer = makeTokenizer();
    fc.assert(
      fc.property(texts, texts, (left, right) => {
        const [a, b] = [left.join(''), right.join('')];
        expect([...tokenizer.encode(`${a} ${b}`)]).toEqual([...tokenizer.encode(a), ...tokenizer.encode(b)]);
      }),
    );
  });

  test('forgets and learns again when its cache is full', () => {
    const tokenizer = makeTokenizer();
    const before = tokenizer.encode('abab é 中');
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    let text = '';
    for (let i = 0; i < 70_000; i++) {
      text += ` ${letters[i % 26]}${letters[Math.floor(i / 26) % 26]}${i}`;
    }
    expect(tokenizer.encode(text)).toHaveLength(70_000);
    expect(tokenizer.encode('abab é 中')).toEqual(before);
  });

  test('grows for long texts', () => {
    expect(makeTokenizer().encode('ab.'.repeat(50_000))).toHaveLength(100_000);
  });
});
