import type { TokenSink } from './tokenizer.js';
import { WordBreak, wordBreakOf } from './word-break.js';
import { tokenEnd, width } from './word-machine.js';

/** Lucene's limit: a longer token is cut there, and the rest read as new text. In UTF-16 units. */
export const MAX_TOKEN_LENGTH = 255;

const ASCII = 128;
/** What {@link asciiTokenEnd} answers where the word machine must decide. */
const UNDECIDED = -1;

/** The {@link WordBreak} class of each ASCII character. */
const ascii = Uint8Array.from({ length: ASCII }, (_, code) => wordBreakOf(code));

/**
 * Cuts text into words as Lucene's StandardTokenizer does.
 *
 * Almost all words of English text are decided by the ASCII path; one that touches any other character, begins with
 * `_`, `#` or `*` goes through the word machine.
 */
export function tokenizeStandard(text: string, sink: TokenSink): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    let end = UNDECIDED;
    if (code < ASCII) {
      const first = ascii[code]!;
      if (first === WordBreak.Letter || first === WordBreak.Numeric) {
        end = asciiTokenEnd(text, at, first);
      } else if (first !== WordBreak.ExtendNumLet && first !== WordBreak.KeycapBase) {
        at++;
        continue;
      }
    }
    if (end === UNDECIDED) {
      end = tokenEnd(text, at, windowEnd(text, at));
      if (end === at) {
        at += width(text.codePointAt(at)!);
        continue;
      }
    }
    sink.token(text, at, end);
    at = end;
  }
}

/** Where the word of letters, digits, `_`, and marks between two letters or two digits ends. */
function asciiTokenEnd(text: string, start: number, first: number): number {
  const limit = Math.min(text.length, start + MAX_TOKEN_LENGTH);
  let last = first;
  let at = start + 1;
  for (; at < limit; at++) {
    const code = text.charCodeAt(at);
    if (code >= ASCII) return UNDECIDED;
    const kind = ascii[code]!;
    if (kind === WordBreak.Letter || kind === WordBreak.Numeric || kind === WordBreak.ExtendNumLet) {
      last = kind;
    } else if (joins(kind, last) && at + 1 < limit) {
      const next = text.charCodeAt(at + 1);
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
  if (kind === WordBreak.MidNumLet || kind === WordBreak.SingleQuote) return side !== WordBreak.ExtendNumLet;
  if (side === WordBreak.Letter) return kind === WordBreak.MidLetter;
  return side === WordBreak.Numeric && kind === WordBreak.MidNum;
}

/** The furthest a token that begins at `start` may reach, without splitting a surrogate pair. */
function windowEnd(text: string, start: number): number {
  const end = start + MAX_TOKEN_LENGTH;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
