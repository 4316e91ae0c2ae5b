/**
 * A document's length as Lucene stores it in one byte: exact up to 39, then with four significant bits. It serves to
 * reproduce Lucene's rankings exactly.
 */
function luceneLength(length: number): number {
  if (length < FREE_VALUES) return length;
  const rest = length - FREE_VALUES;
  // A float with four significant bits represents numbers below 16 exactly.
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return length;
  const shift = bits - 4;
  return FREE_VALUES + ((rest >>> shift) << shift);
}

/** 255 minus the number of values a 4-bit float needs to reach 2^31 - 1. */
const FREE_VALUES = 24;

/** The form of document lengths in a weighting model. */
export type LengthNorm = 'exact' | 'lucene';

/** A table of values by length, from 0 to `maxLength`, with the length norm applied. */
export function tabulateLengths(
  maxLength: number,
  norm: LengthNorm,
  valueOf: (length: number) => number,
): Float64Array {
  const table = new Float64Array(maxLength + 1);
  for (let length = 0; length <= maxLength; length++) {
    table[length] = valueOf(norm === 'lucene' ? luceneLength(length) : length);
  }
  return table;
}
