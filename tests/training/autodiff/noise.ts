/** Numbers in [-1, 1) that follow from a name and a place, none of them near a kink at 0. */
export function noise(name: string, count: number): Float32Array {
  let state = 0;
  for (const letter of name) state = Math.imul(state ^ letter.codePointAt(0)!, 0x01000193) >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const value = (state / 2 ** 32) * 2 - 1;
    return Math.abs(value) < 0.05 ? 0.3 : value;
  });
}
