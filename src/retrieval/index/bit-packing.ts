/**
 * Numbers packed with as many bits each as the largest of them needs, in 32-bit words: decoded without a branch per
 * number, which is what makes postings fast to read.
 */
export function bitsNeeded(largest: number): number {
  return 32 - Math.clz32(largest);
}

export function wordsNeeded(count: number, bits: number): number {
  return (count * bits + 31) >>> 5;
}

/** Packs `values[0, count)` into `words` from `at` on; the words there must be 0. Returns the next free word. */
export function pack(
  values: Uint32Array,
  count: number,
  bits: number,
  words: Uint32Array,
  at: number,
): number {
  let bit = 0;
  for (let i = 0; i < count; i++) {
    const word = at + (bit >>> 5);
    const shift = bit & 31;
    words[word] |= values[i] << shift;
    if (shift + bits > 32) words[word + 1] |= values[i] >>> (32 - shift);
    bit += bits;
  }
  return at + wordsNeeded(count, bits);
}

/** Unpacks `count` numbers from `words` at `at` into `values`. */
export function unpack(
  words: Uint32Array,
  at: number,
  count: number,
  bits: number,
  values: Uint32Array,
): void {
  if (bits === 0) {
    values.fill(0, 0, count);
    return;
  }
  const mask = bits === 32 ? 0xffff_ffff : (1 << bits) - 1;
  let bit = 0;
  for (let i = 0; i < count; i++) {
    const word = at + (bit >>> 5);
    const shift = bit & 31;
    let value = words[word] >>> shift;
    if (shift + bits > 32) value |= words[word + 1] << (32 - shift);
    values[i] = value & mask;
    bit += bits;
  }
}
