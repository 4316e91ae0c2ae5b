import { codePointAt, type TextUnits } from './text-units.js';
import type { TokenSink } from './tokenizer.js';
import { WordBreak, wordBreakOf } from './word-break.js';
import { tokenEnd, width } from './word-machine.js';

/** Lucene's limit: a longer token is cut there, and the rest read as new text. In UTF-16 units. */
export const MAX_TOKEN_LENGTH = 255;

const { Letter, Numeric, ExtendNumLet, KeycapBase, MidLetter, MidNum, MidNumLet, SingleQuote } = WordBreak;

const ASCII = 128;
/** What {@link asciiTokenEnd} answers where the word machine must decide. */
const UNDECIDED = -1;

/** The {@link WordBreak} class of each ASCII character. */
const ascii = Uint8Array.from({ length: ASCII }, (_, code) => wordBreakOf(code));

/**
 * Cuts text into words as Lucene's StandardTokenizer does.
 *
 * Almost all words of English text are decided by the ASCII path; one that touches any other character, or begins
 * with `_`, `#` or `*`, goes through the word machine.
 *
 * One known difference, on purpose: where a text's very last unit is a lone high surrogate, Lucene loses the words
 * before it, back to where it last filled its buffer. Here they are kept.
 */
export function tokenizeStandard(units: TextUnits, sink: TokenSink): void {
  const { codes, length } = units;
  let at = 0;
  while (at < length) {
    const code = codes[at]!;
    let end = UNDECIDED;
    if (code < ASCII) {
      const first = ascii[code]!;
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

/** Where the word of letters, digits, `_`, and marks between two letters or two digits ends. */
function asciiTokenEnd(codes: Uint16Array, start: number, limit: number, first: number): number {
  let last = first;
  let at = start + 1;
  for (; at < limit; at++) {
    const code = codes[at]!;
    if (code >= ASCII) return UNDECIDED;
    const kind = ascii[code]!;
    if (kind === Letter || kind === Numeric || kind === ExtendNumLet) {
      last = kind;
    } else if (joins(kind, last) && at + 1 < limit) {
      const next = codes[at + 1]!;
      if (next >= ASCII) return UNDECIDED;
      if (ascii[next] !== last) return at;
      at++;
    } else {
      return at;
    }
  }
  return at;
}

/** WB6, 7, 11, 12: may `kind` stand between two characters of class `side`? */
function joins(kind: number, side: number): boolean {
  if (kind === MidNumLet || kind === SingleQuote) return side !== ExtendNumLet;
  if (side === Letter) return kind === MidLetter;
  return side === Numeric && kind === MidNum;
}

/** The furthest a token that begins at `start` may reach, without splitting a surrogate pair. */
function windowEnd(codes: Uint16Array, start: number, length: number): number {
  const end = start + MAX_TOKEN_LENGTH;
  if (end >= length) return length;
  const last = codes[end - 1]!;
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
