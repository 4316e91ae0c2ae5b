/**
 * Inputs that the fixtures' makers (scripts/peers/analysis) and the tests must generate alike: both sides keep only
 * digests of what becomes of them.
 */

/** A small generator of its own, so that the sequence is the same for good (numbers below `bound`). */
export function generator(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** At least one member of every class the tokenizer tells apart, and what case and stemming care about. */
const ALPHABET = [
  ...'aBs1_.,:\'"#* -',
  ...'\u0301\u00ad\u200d\ufe0e\ufe0f\u20e3\u2019\u00b7\u00e9\u0130\u03a3\u0660',
  ...'\u05d0\u05d1\u30a2\u3042\u6f22\uac00\u0e44\u0e31',
  ...'\u00a9\u2139\u{1f600}\u{1f44d}\u{1f3fb}\u{1f1fa}\u{1f170}\u{e0061}\u{e007f}\u{10400}\u{20000}',
  '\ud800',
  '\udc00',
];

/**
 * Random texts over few characters each, so that sequences get deep; every twentieth is long enough for the limit on
 * token length to matter. All end in a word: Lucene loses the end of a text whose last character is a lone high
 * surrogate.
 */
export function randomTexts(seed: number, count: number): string[] {
  const random = generator(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = index % 20 === 19;
    const characters = Array.from({ length: 1 + random(7) }, () => ALPHABET[random(ALPHABET.length)]!);
    const length = long ? 240 + random(300) : 1 + random(14);
    let text = '';
    while (text.length < length) {
      const character = characters[random(characters.length)]!;
      text += character.repeat(long ? 1 + random(60) : 1);
    }
    return `${text} end`;
  });
}

const SUFFIXES = (
  's es ies sses eed ed ing ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness ' +
  'fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ' +
  'ement ment ent ou ism ate iti ous ive ize ion sion tion e ll y yy lly'
).split(' ');

/** All words up to five letters over the letters that Porter's rules turn on, and many made of his suffixes. */
export function porterWords(): string[] {
  const words = new Set<string>();
  let layer = [''];
  for (let length = 1; length <= 5; length++) {
    layer = layer.flatMap((word) => [...'aeiyblst1'].map((letter) => word + letter));
    for (const word of layer) words.add(word);
  }
  const random = generator(7);
  const letters = [...'aaeeiioouuyybcdfghjklmnpqrstvwxz0éı'];
  for (let made = 0; made < 200_000; made++) {
    let word = '';
    for (let left = random(5); left > 0; left--) word += letters[random(letters.length)];
    for (let left = 1 + random(3); left > 0; left--) word += SUFFIXES[random(SUFFIXES.length)];
    words.add(word);
  }
  return [...words];
}

/** The code points that are probed one by one: all planes that have words in Lucene's Unicode. */
export const PROBED_PLANES = [0, 1, 2, 14];
export const BLOCK = 0x1000;

/** One text per code point of a block: it alone, doubled, between letters, digits, quotes, kana, Hebrew and emoji. */
export function codePointTexts(block: number): string[] {
  return Array.from({ length: BLOCK }, (_, offset) => {
    const c = String.fromCodePoint(block * BLOCK + offset);
    return (
      `${c} ${c}${c} a${c}a 1${c}1 a${c}1 a'${c} 1,${c} _${c}_ \u30a2${c}\u30a2 \u05d0${c}\u05d0 \u0e44${c}\u0e44 ` +
      `#${c} \u{1f600}${c}\u{1f600} \u{1f600}\ufe0f${c}\u{1f600} \u{1f600}\ufe0f\u200d${c}\ufe0f ${c}\u20e3 ${c}\ufe0f end`
    );
  });
}
