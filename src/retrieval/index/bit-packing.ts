/**
 * The number of bits of the largest number. Numbers are packed with the same number of bits each, in 32-bit words, so
 * that they are decoded without a branch per number.
 */
export function bitsNeeded(largest: number): number {
  return 32 - Math.clz32(largest);
}

/** The number of 32-bit words for `count` numbers. */
export function wordsNeeded(count: number, bits: number): number {
  return (count * bits + 31) >>> 5;
}

/** Packs `values[0, count)` into `words` from `at` on; the words there must be 0. */
export function pack(values: Uint32Array, count: number, bits: number, words: Uint32Array, at: number): void {
  let bit = 0;
  for (let i = 0; i < count; i++) {
    const word = at + (bit >>> 5);
    const shift = bit & 31;
    words[word] |= values[i] << shift;
    if (shift + bits > 32) words[word + 1] |= values[i] >>> (32 - shift);
    bit += bits;
  }
}

// Words are read as signed ones, which V8 keeps in integer registers; unsigned ones may become doubles.

/** Unpacks `count` numbers from `words` at `at` into `values`, with `plus` added to each. */
export function unpack(
  words: Int32Array,
  at: number,
  count: number,
  bits: number,
  values: Int32Array,
  plus: number,
): void {
  if (bits === 0) {
    values.fill(plus, 0, count);
    return;
  }
  const mask = maskOf(bits);
  let word = at;
  let shift = 0;
  for (let i = 0; i < count; i++) {
    let value = words[word] >>> shift;
    shift += bits;
    if (shift >= 32) {
      shift -= 32;
      word++;
      if (shift > 0) value |= words[word] << (bits - shift);
    }
    values[i] = ((value & mask) + plus) | 0;
  }
}

/** Unpacks gaps - 1 as an ascending sequence that continues from `sum`. */
export function unpackSums(
  words: Int32Array,
  at: number,
  count: number,
  bits: number,
  values: Int32Array,
  sum: number,
): void {
  const mask = maskOf(bits);
  let word = at;
  let shift = 0;
  let next = sum;
  for (let i = 0; i < count; i++) {
    let value = words[word] >>> shift;
    shift += bits;
    if (shift >= 32) {
      shift -= 32;
      word++;
      if (shift > 0) value |= words[word] << (bits - shift);
    }
    next = (next + (value & mask) + 1) | 0;
    values[i] = next;
  }
}

/** The `index`-th of the numbers that {@link unpack} would unpack. */
export function unpackOne(words: Int32Array, at: number, index: number, bits: number): number {
  if (bits === 0) return 0;
  const bit = index * bits;
  const word = at + (bit >>> 5);
  const shift = bit & 31;
  let value = words[word] >>> shift;
  if (shift + bits > 32) value |= words[word + 1] << (32 - shift);
  return value & maskOf(bits);
}

function maskOf(bits: number): number {
  return bits === 32 ? -1 : ~(-1 << bits);
}

/** Sets the bits of an ascending sequence, given by its gaps - 1, from `at` on; the words there must be 0. */
export function packBitmap(gaps: Uint32Array, count: number, words: Uint32Array, at: number): void {
  let bit = -1;
  for (let i = 0; i < count; i++) {
    bit += gaps[i] + 1;
    words[at + (bit >>> 5)] |= 1 << bit;
  }
}

/** Unpacks the places of the first `count` set bits from `words[at]` on, ascending, with `plus` added to each. */
export function unpackBitmap(
  words: Int32Array,
  at: number,
  count: number,
  values: Int32Array,
  plus: number,
): void {
  let i = 0;
  for (let word = at, start = plus + 31; i < count; word++, start += 32) {
    for (let bits = words[word]; bits !== 0; bits &= bits - 1) {
      values[i++] = start - Math.clz32(bits & -bits);
    }
  }
}

/** The number of set bits of a word. */
export function bitsSet(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
