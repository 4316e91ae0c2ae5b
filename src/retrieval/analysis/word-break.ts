import { lastPlace } from '../../common/order.js';
import { WORD_BREAK_RUNS } from './word-break-data.js';

/**
 * The classes of code points in Lucene's standard tokenizer: the Word_Break values of UAX #29. Values that no rule
 * distinguishes share a class (Han and Hiragana, Hangul and other letters); values that the emoji rules distinguish are
 * split.
 *
 * The table is Lucene's, of Unicode 12.1. The classes of `\p{…}` change with the version of Node, but queries must be
 * read with the same classes as the documents of the index. As in Lucene, newer characters are part of no word.
 */
export const WordBreak = {
  Other: 0,
  Letter: 1,
  Numeric: 2,
  /** `_` and similar characters, which join letters, numbers and Katakana. */
  ExtendNumLet: 3,
  /** Marks and format characters, which belong to the character before. */
  Extend: 4,
  MidLetter: 5,
  MidNum: 6,
  MidNumLet: 7,
  SingleQuote: 8,
  DoubleQuote: 9,
  Hebrew: 10,
  Katakana: 11,
  /** Han and Hiragana, each character a word. */
  Ideograph: 12,
  /** Thai, Lao, Khmer, Myanmar, …, of which a run is a word. */
  SouthEastAsian: 13,
  /** A mark of those scripts, which extends any word and may begin one of theirs. */
  SouthEastAsianMark: 14,
  /** `#` and `*`, which are a word only with a keycap. */
  KeycapBase: 15,
  Keycap: 16,
  Emoji: 17,
  /** Letters that are also emoji, such as ℹ. */
  EmojiLetter: 18,
  EmojiModifier: 19,
  TextSelector: 20,
  EmojiSelector: 21,
  /** Zero-width joiner. */
  Joiner: 22,
  /** Regional indicator; two of them are a flag. */
  Region: 23,
  Tag: 24,
  TagEnd: 25,
} as const;

export type WordBreakName = keyof typeof WordBreak;

export const WORD_BREAK_CLASSES = Object.keys(WordBreak).length;

const BMP = 0x10000;

/** The class of every code point below 0x10000. */
const basic = new Uint8Array(BMP);
/** First code point and class of the runs above; gaps are runs of `Other`. */
const starts: number[] = [BMP];
const classes: number[] = [WordBreak.Other];

for (const { first, last, value } of decodeRuns()) {
  if (last < BMP) {
    basic.fill(value, first, last + 1);
    continue;
  }
  starts.push(first, last + 1);
  classes.push(value, WordBreak.Other);
}

export function wordBreakOf(codePoint: number): number {
  if (codePoint < BMP) return basic[codePoint];
  return classes[lastPlace(starts.length, (at) => starts[at] <= codePoint)];
}

function decodeRuns(): { first: number; last: number; value: number }[] {
  const runs = [];
  for (const [name, encoded] of Object.entries(WORD_BREAK_RUNS)) {
    const numbers = encoded.trim().split(/\s+/);
    let at = 0;
    for (let i = 0; i < numbers.length; i += 2) {
      const first = at + Number.parseInt(numbers[i], 36);
      at = first + Number.parseInt(numbers[i + 1], 36);
      runs.push({ first, last: at - 1, value: WordBreak[name as keyof typeof WORD_BREAK_RUNS] });
    }
  }
  return runs.sort((a, b) => a.first - b.first);
}
