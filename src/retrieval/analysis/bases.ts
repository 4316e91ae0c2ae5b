import { tokenizeStandard } from './standard-tokenizer.js';
import { TERRIER_STOPWORDS } from './stopwords/terrier.js';
import type { TextUnits, Tokenize, TokenSink } from './text-units.js';

export const analyzerBases = ['anserini', 'terrier', 'plain'] as const;
export const stemmerNames = ['porter', 'none'] as const;

/**
 * The system whose text analysis is followed: `anserini` (Lucene's standard tokenizer, possessives removed, 33 stop
 * words, Porter), `terrier` (ASCII letters and digits, its long stop list, Porter) or `plain` (lower-cased words).
 */
export type AnalyzerBase = (typeof analyzerBases)[number];

export type StemmerName = (typeof stemmerNames)[number];

/** A system's text analysis: tokens and words, and the default stop words and stemmer. */
export interface Base {
  readonly tokenize: Tokenize;
  /** The lower-cased word of a token, as in a stop list; `''` for a token that is never indexed. */
  readonly wordOf: (token: string) => string;
  readonly stopwords: ReadonlySet<string>;
  readonly stemmer: StemmerName;
}

/** The 33 stop words of Lucene's English analyzer, which Anserini uses. */
const LUCENE_STOPWORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to
  was will with`.split(/\s+/),
);

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

/**
 * The word in lower case, as Lucene does it: code point by code point. Unlike in `toLowerCase`, a final sigma becomes σ,
 * and İ becomes a single i.
 */
export function lowerCase(word: string): string {
  if (/^[ -~]*$/.test(word)) return word.toLowerCase(); // Printable ASCII has no special cases.
  let lower = '';
  for (const character of word) lower += character === 'İ' ? 'i' : character.toLowerCase();
  return lower;
}

/** The token without a possessive, as in Lucene's EnglishPossessiveFilter: `Turing's`, `TURING’S`, but not `James'`. */
function withoutPossessive(token: string): string {
  return /['’＇][sS]$/.test(token) ? token.slice(0, -2) : token;
}

const MAX_LENGTH = 20;
const MAX_DIGITS = 4;
const MAX_REPEATS = 3;

/**
 * True for tokens that Terrier drops as noise: they are long, have many digits, or repeat a character. Case is not yet
 * folded, so `AAaa` passes.
 */
function isNoise(token: string): boolean {
  if (token.length > MAX_LENGTH) return true;
  let digits = 0;
  let repeats = 0;
  for (let at = 0; at < token.length; at++) {
    const code = token.charCodeAt(at);
    if (code <= 0x39) digits++; // Digits precede letters.
    repeats = at > 0 && code === token.charCodeAt(at - 1) ? repeats + 1 : 1;
    if (digits > MAX_DIGITS || repeats > MAX_REPEATS) return true;
  }
  return false;
}

const isAlphanumeric = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** Divides text into runs of ASCII letters and digits, as Terrier's EnglishTokeniser does. */
export function tokenizeAlphanumeric(units: TextUnits, sink: TokenSink): void {
  const { codes, length } = units;
  let start = -1;
  for (let at = 0; at < length; at++) {
    const code = codes[at];
    if (code < 128 && isAlphanumeric[code] === 1) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      sink.token(units, start, at);
      start = -1;
    }
  }
  if (start >= 0) sink.token(units, start, length);
}
