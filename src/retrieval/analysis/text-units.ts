import { unitWriter } from '../../common/utf16.js';

/**
 * A text and its UTF-16 units in an array. Tokenizers read every unit several times, and V8 reads an array of numbers
 * much faster than a string.
 */
export interface TextUnits {
  readonly text: string;
  /** The units; those after `length` belong to another text. */
  readonly codes: Uint16Array;
  readonly length: number;
}

/** Texts of up to so many units share one array; a longer one gets its own. */
const SHARED_LENGTH = 1 << 18;
let shared: Uint16Array | undefined = new Uint16Array(SHARED_LENGTH);

/** Calls `use` with the units of a text, which are valid during that call only. */
export function withUnits(text: string, use: (units: TextUnits) => void): void {
  const { length } = text;
  if (length > SHARED_LENGTH || shared === undefined) {
    use({ text, codes: fill(new Uint16Array(length), text), length });
    return;
  }
  const codes = shared;
  shared = undefined; // A text that is analysed during this call needs its own array.
  try {
    use({ text, codes: fill(codes, text), length });
  } finally {
    shared = codes;
  }
}

function fill(codes: Uint16Array, text: string): Uint16Array {
  unitWriter(codes)(text);
  return codes;
}

/** The code point at `at`, or a lone surrogate. `limit` must not split a surrogate pair. */
export function codePointAt(codes: Uint16Array, at: number, limit: number): number {
  const first = codes[at];
  if (first < 0xd800 || first > 0xdbff || at + 1 >= limit) return first;
  const second = codes[at + 1];
  if (second < 0xdc00 || second > 0xdfff) return first;
  return ((first - 0xd800) << 10) + (second - 0xdc00) + 0x10000;
}

/** The receiver of a text's tokens, in order, each as the half-open range `[start, end)` of its units. */
export interface TokenSink {
  token(units: TextUnits, start: number, end: number): void;
}

/** Divides a text into tokens. Tokens are ranges, not strings, so that a known word costs no allocation. */
export type Tokenize = (units: TextUnits, sink: TokenSink) => void;
