import { tokenizeAlphanumeric } from './alphanumeric-tokenizer.js';
import { lowerCase } from './lower-case.js';
import type { AnalyzerBase, StemmerName } from './spec.js';
import { tokenizeStandard } from './standard-tokenizer.js';
import { LUCENE_STOPWORDS } from './stopwords/lucene.js';
import { TERRIER_STOPWORDS } from './stopwords/terrier.js';
import type { Tokenizer } from './tokenizer.js';

/** What an analyzer does before stop words, and what it does after unless told otherwise. */
export interface Base {
  readonly tokenize: Tokenizer;
  /** Token → word as a stop list has it, in lower case; `''` for a token that is never indexed. */
  readonly wordOf: (token: string) => string;
  readonly stopwords: ReadonlySet<string>;
  readonly stemmer: StemmerName;
}

export const BASES: Readonly<Record<AnalyzerBase, Base>> = {
  anserini: {
    tokenize: tokenizeStandard,
    wordOf: (token) => lowerCase(withoutPossessive(token)),
    stopwords: LUCENE_STOPWORDS,
    stemmer: 'porter',
  },
  terrier: {
    tokenize: tokenizeAlphanumeric,
    wordOf: (token) => (isNoise(token) ? '' : token.toLowerCase()),
    stopwords: TERRIER_STOPWORDS,
    stemmer: 'porter',
  },
  plain: {
    tokenize: tokenizeStandard,
    wordOf: lowerCase,
    stopwords: new Set(),
    stemmer: 'none',
  },
};

/** Lucene's EnglishPossessiveFilter: `Turing's` and `TURING’S` lose two characters, `James'` none. */
function withoutPossessive(token: string): string {
  return /['’＇][sS]$/.test(token) ? token.slice(0, -2) : token;
}

const MAX_LENGTH = 20;
const MAX_DIGITS = 4;
const MAX_REPEATS = 3;

/**
 * Terrier's guard against noise: drops tokens that are long, have many digits, or repeat a character (before case is
 * folded, so that `AAaa` passes).
 */
function isNoise(token: string): boolean {
  if (token.length > MAX_LENGTH) return true;
  let digits = 0;
  let repeats = 0;
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at);
    if (code <= 0x39) digits++; // Of letters and digits, the digits come first.
    repeats = at > 0 && code === token.charCodeAt(at - 1) ? repeats + 1 : 1;
    if (digits > MAX_DIGITS || repeats > MAX_REPEATS) return true;
  }
  return false;
}
