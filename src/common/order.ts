/**
 * Compares two strings by their UTF-8 bytes, as C's `strcmp` and trec_eval do. This is the order of code points.
 * JavaScript's `<` compares UTF-16 units and differs where a surrogate pair (U+10000 and up) meets U+E000 to U+FFFF.
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

/** Ranks surrogates above the rest of the basic plane. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The last of `count` places that passes a test which all places before it pass; -1 if none does. */
export function lastPlace(count: number, passes: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
