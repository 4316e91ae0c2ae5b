import type { TextUnits } from './text-units.js';

/** Longer words are rare and hardly ever come back: they are derived anew each time. */
const MAX_CACHED_LENGTH = 24;

/**
 * Remembers what a word of the text becomes (a term, or a term's number), so that lower-casing, stop words and
 * stemming are done once per distinct word and not once per occurrence.
 *
 * Direct-mapped: a word has one slot, chosen by its hash, and takes it from whatever word was there. So the size is
 * fixed, nothing has to be evicted, frequent words stay, and a hit allocates nothing. Equal words mostly give the very
 * same string, whose hash V8 has at hand when the caller looks it up in a map of its own.
 */
export class TermCache<T> {
  readonly #derive: (word: string) => T;
  readonly #mask: number;
  /** The word of each slot: its length, 0 while there is none, and its units. */
  readonly #lengths: Uint8Array;
  readonly #codes: Uint16Array;
  readonly #values: T[];

  /**
   * @param derive word → value, a pure function.
   * @param unused any value, for slots that no word has taken yet.
   * @param slots how many words to remember, a power of two.
   */
  constructor(derive: (word: string) => T, unused: T, slots: number) {
    this.#derive = derive;
    this.#mask = slots - 1;
    this.#lengths = new Uint8Array(slots);
    this.#codes = new Uint16Array(slots * MAX_CACHED_LENGTH);
    // oxlint-disable-next-line unicorn/no-new-array -- Array.from takes ten times as long, and opening must be instant.
    this.#values = new Array<T>(slots).fill(unused);
  }

  /** What the word `[start, end)` becomes. */
  of({ text, codes }: TextUnits, start: number, end: number): T {
    const length = end - start;
    if (length > MAX_CACHED_LENGTH) return this.#derive(copy(text, start, end));
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + codes[at]!) | 0;
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    const first = slot * MAX_CACHED_LENGTH;
    if (this.#lengths[slot] === length && equal(this.#codes, first, codes, start, length)) {
      return this.#values[slot]!;
    }
    const value = this.#derive(copy(text, start, end));
    this.#lengths[slot] = length;
    for (let i = 0; i < length; i++) this.#codes[first + i] = codes[start + i]!;
    this.#values[slot] = value;
    return value;
  }
}

function equal(one: Uint16Array, at: number, other: Uint16Array, start: number, length: number): boolean {
  for (let i = 0; i < length; i++) {
    if (one[at + i] !== other[start + i]) return false;
  }
  return true;
}

/** V8 copies shorter slices, and makes longer ones views of the text. */
const SHORTEST_VIEW = 13;

/**
 * `text.slice(start, end)` as a string of its own: a view would keep the whole text in memory for as long as the word
 * lives, and words live in caches and dictionaries.
 */
function copy(text: string, start: number, end: number): string {
  const slice = text.slice(start, end);
  if (slice.length < SHORTEST_VIEW) return slice;
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
