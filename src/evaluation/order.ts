/**
 * Orders strings as C's `strcmp` orders their UTF-8 bytes, which is what trec_eval breaks ties with.
 * That is code point order; JavaScript's `<` compares UTF-16 units and disagrees where a surrogate pair
 * (U+10000 and up) meets U+E000 to U+FFFF.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

/** Lifts surrogates above the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
