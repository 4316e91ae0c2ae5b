import type { IdBuffer } from './id-buffer.js';

/** The most words kept; then the cache is cleared and frequent words refill it. */
const ENTRIES = 1 << 16;
const SLOTS = 2 * ENTRIES;
const KEY_UNITS = 1 << 20;
const PIECES = 1 << 18;

/** Longer words are too rare to keep. */
export const LONGEST_CACHED = 64;

/** Numbers in a slot: hash, start of the key, its length (0: empty) and the number of pieces, the pieces. */
const FIELDS = 4;

/** Slots that a word may lie in. Words chosen to have one hash must not make the others slow. */
const PROBES = 32;
const KEY = 1;
const LENGTHS = 2;
const PIECE = 3;
const KEY_BITS = 8;

/**
 * A cache of words' pieces, looked up by a range of a text's UTF-16 units: a hit makes no substring, and no key keeps a
 * whole document alive, as a slice of a string would. It uses open addressing over flat arrays and keeps all that a hit
 * needs together, because most of the time goes into cache misses. Where all slots of a word are taken, it replaces the last.
 */
export class WordCache {
  private readonly slots = new Int32Array(SLOTS * FIELDS);
  private readonly keys = new Uint16Array(KEY_UNITS);
  private readonly pieces = new Int32Array(PIECES);
  private entries = 0;
  private keyEnd = 0;
  private pieceEnd = 0;

  /** Appends the pieces of `units[start, end)` and returns true; returns false if the word is not in the cache. */
  appendTo(out: IdBuffer, units: Uint16Array, start: number, end: number, hash: number): boolean {
    const { slots, keys } = this;
    const length = end - start;
    let slot = firstSlot(hash);
    for (let probe = 0; probe < PROBES; probe++, slot = nextSlot(slot)) {
      const lengths = slots[slot + LENGTHS];
      if (lengths === 0) return false;
      if (slots[slot] !== hash || (lengths & ((1 << KEY_BITS) - 1)) !== length) continue;
      const key = slots[slot + KEY];
      let i = 0;
      while (i < length && keys[key + i] === units[start + i]) i++;
      if (i < length) continue;
      const count = lengths >>> KEY_BITS;
      // One piece, by far the most frequent case, is kept in the slot itself.
      if (count === 1) out.push(slots[slot + PIECE]);
      else out.append(this.pieces, slots[slot + PIECE], count);
      return true;
    }
    return false;
  }

  /** Adds the word `units[start, end)`, whose ids are those from `from` to the end of `out`. */
  remember(units: Uint16Array, start: number, end: number, hash: number, out: IdBuffer, from: number): void {
    const count = out.length - from;
    const full =
      this.entries === ENTRIES || this.keyEnd + end - start > KEY_UNITS || this.pieceEnd + count > PIECES;
    if (full) {
      this.slots.fill(0);
      this.entries = this.keyEnd = this.pieceEnd = 0;
    }
    let slot = firstSlot(hash);
    for (let probe = 1; probe < PROBES && this.slots[slot + LENGTHS] !== 0; probe++) slot = nextSlot(slot);
    this.slots[slot] = hash;
    this.slots[slot + KEY] = this.keyEnd;
    this.slots[slot + LENGTHS] = (end - start) | (count << KEY_BITS);
    this.slots[slot + PIECE] = count === 1 ? out.at(from) : this.pieceEnd;
    for (let i = start; i < end; i++) this.keys[this.keyEnd++] = units[i];
    if (count !== 1) for (let i = from; i < out.length; i++) this.pieces[this.pieceEnd++] = out.at(i);
    this.entries++;
  }
}

/** The hash of no characters; {@link hashNext} takes in one UTF-16 unit (FNV-1a). */
export const HASH_START = 0x811c9dc5 | 0;

export function hashNext(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function firstSlot(hash: number): number {
  return ((hash ^ (hash >>> 15)) & (SLOTS - 1)) * FIELDS;
}

function nextSlot(slot: number): number {
  return (slot + FIELDS) % (SLOTS * FIELDS);
}
