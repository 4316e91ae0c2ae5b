import { ownCopy } from '../../common/utf16.js';
import type { TextUnits } from './text-units.js';

/** Longer words are rare and are not cached. */
const MAX_CACHED_LENGTH = 24;

/**
 * A cache from words to values (terms or their numbers), so that lower-casing, stop words and stemming are done about
 * once per distinct word.
 *
 * It is direct-mapped: a word has one slot, chosen by its hash, and replaces the word there. So its size is fixed,
 * frequent words stay, and a hit allocates nothing. Most equal words give the same string object, whose hash V8 has
 * computed already when the caller uses it as a key.
 */
export class TermCache<T> {
  readonly #derive: (word: string) => T;
  readonly #mask: number;
  /** The length of each slot's word; 0 for an empty slot. */
  readonly #lengths: Uint8Array;
  readonly #codes: Uint16Array;
  readonly #values: T[];

  /**
   * @param derive word → value, a pure function.
   * @param unused a value for empty slots.
   * @param slots the number of words in the cache, a power of two.
   */
  constructor(derive: (word: string) => T, unused: T, slots: number) {
    this.#derive = derive;
    this.#mask = slots - 1;
    this.#lengths = new Uint8Array(slots);
    this.#codes = new Uint16Array(slots * MAX_CACHED_LENGTH);
    // oxlint-disable-next-line unicorn/no-new-array -- Array.from takes ten times as long, and opening must be instant.
    this.#values = new Array<T>(slots).fill(unused);
  }

  /** The value of the word `[start, end)`. */
  of({ text, codes }: TextUnits, start: number, end: number): T {
    const length = end - start;
    if (length > MAX_CACHED_LENGTH) return this.#derive(ownCopy(text.slice(start, end)));
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + codes[at]) | 0;
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    const first = slot * MAX_CACHED_LENGTH;
    if (this.#lengths[slot] === length && equal(this.#codes, first, codes, start, length)) {
      return this.#values[slot];
    }
    const value = this.#derive(ownCopy(text.slice(start, end)));
    this.#lengths[slot] = length;
    for (let i = 0; i < length; i++) this.#codes[first + i] = codes[start + i];
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
