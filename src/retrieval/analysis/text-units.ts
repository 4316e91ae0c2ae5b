/**
 * A text with its UTF-16 units side by side. Tokenizers read every unit several times, and an array of numbers is read
 * much faster than a string, which may be of any of V8's kinds and says so at every access.
 */
export interface TextUnits {
  readonly text: string;
  /** At least `length` units; what comes after belongs to another text. */
  readonly codes: Uint16Array;
  readonly length: number;
}

/** Texts up to this many units share one array; a longer one has an array of its own, for as long as it is read. */
const SHARED_LENGTH = 1 << 18;
let shared: Uint16Array | undefined = new Uint16Array(SHARED_LENGTH);

/** Calls `use` with the units of a text; they are good for that call only. */
export function withUnits(text: string, use: (units: TextUnits) => void): void {
  const { length } = text;
  if (length > SHARED_LENGTH || shared === undefined) {
    use({ text, codes: fill(new Uint16Array(length), text), length });
    return;
  }
  const codes = shared;
  shared = undefined; // Whoever analyses another text meanwhile finds it taken.
  try {
    use({ text, codes: fill(codes, text), length });
  } finally {
    shared = codes;
  }
}

const littleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function fill(codes: Uint16Array, text: string): Uint16Array {
  if (littleEndian) {
    Buffer.from(codes.buffer, codes.byteOffset, codes.byteLength).write(text, 'utf16le');
  } else {
    for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at);
  }
  return codes;
}

/** The code point at `at`; a lone surrogate is one by itself. `limit` must not split a pair. */
export function codePointAt(codes: Uint16Array, at: number, limit: number): number {
  const first = codes[at]!;
  if (first < 0xd800 || first > 0xdbff || at + 1 >= limit) return first;
  const second = codes[at + 1]!;
  if (second < 0xdc00 || second > 0xdfff) return first;
  return ((first - 0xd800) << 10) + (second - 0xdc00) + 0x10000;
}
