/** Seeded random strings over all of Unicode; scripts/fixtures/bert/fuzz_text.py makes the same ones. */

/** Inclusive ranges of code points to draw from. */
const ALPHABETS: readonly (readonly [number, number])[] = [
  [0x61, 0x7a],
  [0x61, 0x7a],
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x30, 0x39],
  [0x20, 0x7e],
  [0x00, 0x7f],
  [0xa0, 0x24f],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x52f],
  [0x590, 0xdff],
  [0x1100, 0x11ff],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1fff],
  [0x2000, 0x206f],
  [0x2070, 0x2bff],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xa640, 0xabff],
  [0xac00, 0xd7a3],
  [0xf900, 0xffff],
  [0x10000, 0x11fff],
  [0x1d000, 0x1ffff],
  [0x20000, 0x2fa1f],
  [0xe000, 0x10ffff],
];

// prettier-ignore
const PHRASES = [
  '[CLS]', '[SEP]', '[MASK]', '[UNK]', '[PAD]', '[sep]', '[ SEP ]', '##ing', 'the', 'The', 'tokenisation',
  'Straße', 'naïve', 'NAÏVE', 'İstanbul', 'ΌΔΟΣ', "don't", '3.14', 'U.S.A.', 'e\u0301te\u0301', '한국어', '東京タワー',
  '\u1e9b\u0323', 'a\u0327\u0301\u0323', '👩‍👩‍👧', '<extra>', '<Extra>', ' <left>', '<left>', '<right>  ', '<word>', 'un<word>',
  'new token', 'New Token', 'New Tokens', 'ﬁ', 'Ⅷ', 'ẞ', '\ufeff', '\u00ad', '\ufffd', '\u0000',
];

// prettier-ignore
const SEPARATORS = [
  '', '', '', '', '', ' ', ' ', ' ', '  ', '\t', '\n', '\r\n', '\u00a0', '\u3000', '\u2028', '\u200b', '\u0085', '\x0b',
];

export function* fuzzTexts(count: number, seed = 2020): Generator<string> {
  const below = xorshift(seed);
  for (let i = 0; i < count; i++) {
    let text = '';
    const parts = 1 + below(8);
    for (let part = 0; part < parts; part++) {
      const kind = below(ALPHABETS.length + 6);
      if (kind < ALPHABETS.length) {
        const [low, high] = ALPHABETS[kind];
        const characters = 1 + below(12);
        for (let j = 0; j < characters; j++) text += String.fromCodePoint(low + below(high - low + 1));
      } else if (kind === ALPHABETS.length) {
        // Around the limit of a hundred characters in a word.
        const letter = 'ab'[below(2)];
        text += letter.repeat(95 + below(10));
      } else {
        text += PHRASES[below(PHRASES.length)];
      }
      text += SEPARATORS[below(SEPARATORS.length)];
    }
    yield text;
  }
}

/** Marsaglia's xorshift, 32 bits. */
function xorshift(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
