import type { IdBuffer } from './id-buffer.js';

/** Words remembered at most; then the cache starts afresh. Zipf's law refills it with what matters. */
const ENTRIES = 1 << 16;
const SLOTS = 2 * ENTRIES;
const KEY_UNITS = 1 << 20;
const PIECES = 1 << 18;

/** Longer words are too rare to remember. */
export const LONGEST_CACHED = 64;

/**
 * Remembers the pieces of words, found by a place in a text: no substring is made for a hit, and no key keeps
 * a whole document alive, as slices of strings would. Open addressing over flat arrays.
 */
export class WordCache {
  private readonly slots = new Int32Array(SLOTS);
  private readonly hashes = new Int32Array(ENTRIES);
  private readonly keyEnds = new Int32Array(ENTRIES);
  private readonly pieceEnds = new Int32Array(ENTRIES);
  private readonly keys = new Uint16Array(KEY_UNITS);
  private readonly pieces = new Int32Array(PIECES);
  private entries = 0;

  /** Appends the pieces of `text[start, end)` and returns true, or returns false. */
  appendTo(out: IdBuffer, text: string, start: number, end: number, hash: number): boolean {
    const { slots } = this;
    for (let slot = slotOf(hash); ; slot = (slot + 1) % SLOTS) {
      const entry = slots[slot] - 1;
      if (entry < 0) return false;
      if (this.hashes[entry] === hash && this.holds(entry, text, start, end)) {
        const first = entry === 0 ? 0 : this.pieceEnds[entry - 1];
        out.append(this.pieces, first, this.pieceEnds[entry] - first);
        return true;
      }
    }
  }

  /** Remembers that `text[start, end)`, not held so far, gives the ids from `from` to the end of `out`. */
  remember(text: string, start: number, end: number, hash: number, out: IdBuffer, from: number): void {
    let keyAt = this.entries === 0 ? 0 : this.keyEnds[this.entries - 1];
    let pieceAt = this.entries === 0 ? 0 : this.pieceEnds[this.entries - 1];
    const full =
      this.entries === ENTRIES || keyAt + end - start > KEY_UNITS || pieceAt + out.length - from > PIECES;
    if (full) {
      this.slots.fill(0);
      this.entries = keyAt = pieceAt = 0;
    }
    for (let i = start; i < end; i++) this.keys[keyAt++] = text.charCodeAt(i);
    for (let i = from; i < out.length; i++) this.pieces[pieceAt++] = out.at(i);
    const entry = this.entries++;
    this.hashes[entry] = hash;
    this.keyEnds[entry] = keyAt;
    this.pieceEnds[entry] = pieceAt;
    let slot = slotOf(hash);
    while (this.slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    this.slots[slot] = entry + 1;
  }

  private holds(entry: number, text: string, start: number, end: number): boolean {
    const { keys } = this;
    let at = entry === 0 ? 0 : this.keyEnds[entry - 1];
    if (this.keyEnds[entry] - at !== end - start) return false;
    for (let i = start; i < end; i++) if (text.charCodeAt(i) !== keys[at++]) return false;
    return true;
  }
}

/** The hash of no characters; {@link hashNext} takes in one UTF-16 unit (FNV-1a). */
export const HASH_START = 0x811c9dc5 | 0;

export function hashNext(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}
