/**
 * Lucene keeps a document's length in one byte: exact up to 39, then four significant bits. `luceneLength` is the
 * length it gets back, for those who want its rankings to the letter; the default everywhere is the exact length.
 */
export function luceneLength(length: number): number {
  if (length < FREE_VALUES) return length;
  const rest = length - FREE_VALUES;
  // A float with four significant bits: numbers below 16 are kept as they are.
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return length;
  const shift = bits - 4;
  return FREE_VALUES + ((rest >>> shift) << shift);
}

/** 255 minus the number of values a 4-bit float needs to reach 2^31 - 1. */
const FREE_VALUES = 24;

export type LengthNorm = 'exact' | 'lucene';

/** A per-length value by table, with the length norm applied; long tails are computed on demand. */
export class LengthTable {
  readonly #table: Float64Array;

  constructor(
    maxLength: number,
    norm: LengthNorm,
    private readonly valueOf: (length: number) => number,
  ) {
    this.#table = new Float64Array(Math.min(maxLength, 1 << 16) + 1);
    for (let length = 0; length < this.#table.length; length++) {
      this.#table[length] = valueOf(norm === 'lucene' ? luceneLength(length) : length);
    }
    if (norm === 'lucene') {
      const exact = valueOf;
      this.valueOf = (length) => exact(luceneLength(length));
    }
  }

  at(length: number): number {
    return length < this.#table.length ? this.#table[length] : this.valueOf(length);
  }
}
