/** A generator of 32 random bits per call (xoshiro128++, Blackman and Vigna), reproducible from its seed. */
export function randomWords(seed: number): () => number {
  let [a, b, c, d] = spread(seed);
  return () => {
    const result = (rotate((a + d) | 0, 7) + a) | 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Four well-mixed words from one number (splitmix32), never all zero. */
function spread(seed: number): [number, number, number, number] {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let word = state ^ (state >>> 16);
    word = Math.imul(word, 0x21f0aaad);
    word ^= word >>> 15;
    word = Math.imul(word, 0x735a2d97);
    return word ^ (word >>> 15);
  };
  return [next(), next(), next(), next()];
}
