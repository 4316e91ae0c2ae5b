import { grown } from '../../common/concat.js';

/** The ids of the documents that were added to a build, in memory: a set that knows which come first in byte order. */
export class DocumentIds {
  /** All ids, one after another, and where each ends. */
  #bytes = new Uint8Array(1 << 16);
  #ends = new Uint32Array(1 << 12);
  /** Open addressing: 1 + the number of a document, 0 for a free slot. At most half of the slots are taken. */
  #slots = new Uint32Array(1 << 13);
  count = 0;

  /** Adds the id of the next document; false, and nothing added, if another document has it. */
  add(id: Uint8Array): boolean {
    let slot = hash(id, 0, id.length) & (this.#slots.length - 1);
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & (this.#slots.length - 1)) {
      if (this.#equals(this.#slots[slot] - 1, id)) return false;
    }
    const start = this.#start(this.count);
    if (start + id.length > this.#bytes.length) this.#bytes = grown(this.#bytes, start + id.length);
    if (this.count === this.#ends.length) this.#ends = grown(this.#ends, this.count + 1);
    this.#bytes.set(id, start);
    this.#ends[this.count++] = start + id.length;
    this.#slots[slot] = this.count;
    if (2 * this.count > this.#slots.length) this.#rehash();
    return true;
  }

  get ends(): Uint32Array {
    return this.#ends.subarray(0, this.count);
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#start(this.count));
  }

  /** The documents in byte order of their ids. */
  order(): Uint32Array {
    const bytes = this.#bytes;
    return Uint32Array.from({ length: this.count }, (_, document) => document).sort((a, b) => {
      const endA = this.#ends[a];
      const endB = this.#ends[b];
      let atA = this.#start(a);
      let atB = this.#start(b);
      for (; atA < endA && atB < endB; atA++, atB++) {
        const difference = bytes[atA] - bytes[atB];
        if (difference !== 0) return difference;
      }
      return endA - atA - (endB - atB);
    });
  }

  #start(document: number): number {
    return document === 0 ? 0 : this.#ends[document - 1];
  }

  #equals(document: number, id: Uint8Array): boolean {
    const start = this.#start(document);
    if (this.#ends[document] - start !== id.length) return false;
    for (let i = 0; i < id.length; i++) if (this.#bytes[start + i] !== id[i]) return false;
    return true;
  }

  #rehash(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    for (let document = 0; document < this.count; document++) {
      let slot = hash(this.#bytes, this.#start(document), this.#ends[document]) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = document + 1;
    }
    this.#slots = slots;
  }
}

/** The place of each document in an order. */
export function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  order.forEach((document, rank) => (ranks[document] = rank));
  return ranks;
}

/** FNV-1a, with a last mixing step for the low bits. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i], 0x01000193);
  return Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
}
