import { codePointAt, type TextUnits, type TokenSink } from './text-units.js';
import { WordBreak, wordBreakOf } from './word-break.js';
import { tokenEnd, width } from './word-machine.js';

/** Lucene's limit of a token, in UTF-16 units; the rest of a longer one is read as new text. */
const MAX_TOKEN_LENGTH = 255;

const { Letter, Numeric, ExtendNumLet, KeycapBase, MidLetter, MidNum, MidNumLet, SingleQuote } = WordBreak;

const ASCII = 128;
/** The result of {@link asciiTokenEnd} where the word machine must decide. */
const UNDECIDED = -1;

/** The {@link WordBreak} class of each ASCII character. */
const ascii = Uint8Array.from({ length: ASCII }, (_, code) => wordBreakOf(code));

/**
 * Divides text into words as Lucene's StandardTokenizer does. Words of ASCII letters and digits take a short path; words
 * with other characters, or with `_`, `#` or `*` at the beginning, go through the word machine.
 *
 * There is one intended difference: where the last unit of a text is a lone high surrogate, Lucene loses the words in
 * its buffer. Here they are kept.
 */
export function tokenizeStandard(units: TextUnits, sink: TokenSink): void {
  const { codes, length } = units;
  let at = 0;
  while (at < length) {
    const code = codes[at];
    let end = UNDECIDED;
    if (code < ASCII) {
      const first = ascii[code];
      if (first === Letter || first === Numeric) {
        end = asciiTokenEnd(codes, at, Math.min(length, at + MAX_TOKEN_LENGTH), first);
      } else if (first !== ExtendNumLet && first !== KeycapBase) {
        at++;
        continue;
      }
    }
    if (end === UNDECIDED) {
      end = tokenEnd(codes, at, windowEnd(codes, at, length));
      if (end === at) {
        at += width(codePointAt(codes, at, length));
        continue;
      }
    }
    sink.token(units, at, end);
    at = end;
  }
}

/** The end of a word of letters, digits, `_`, and marks between two letters or two digits. */
function asciiTokenEnd(codes: Uint16Array, start: number, limit: number, first: number): number {
  let last = first;
  let at = start + 1;
  for (; at < limit; at++) {
    const code = codes[at];
    if (code >= ASCII) return UNDECIDED;
    const kind = ascii[code];
    if (kind === Letter || kind === Numeric || kind === ExtendNumLet) {
      last = kind;
    } else if (joins(kind, last) && at + 1 < limit) {
      const next = codes[at + 1];
      if (next >= ASCII) return UNDECIDED;
      if (ascii[next] !== last) return at;
      at++;
    } else {
      return at;
    }
  }
  return at;
}

/** True where `kind` may stand between two characters of class `side` (WB6, 7, 11, 12). */
function joins(kind: number, side: number): boolean {
  if (kind === MidNumLet || kind === SingleQuote) return side !== ExtendNumLet;
  if (side === Letter) return kind === MidLetter;
  return side === Numeric && kind === MidNum;
}

/** The limit of a token that begins at `start`; it does not split a surrogate pair. */
function windowEnd(codes: Uint16Array, start: number, length: number): number {
  const end = start + MAX_TOKEN_LENGTH;
  if (end >= length) return length;
  const last = codes[end - 1];
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
