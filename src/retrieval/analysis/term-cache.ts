/** Longer words are rare and hardly ever come back: they are derived anew each time. */
const MAX_CACHED_LENGTH = 32;

const EMPTY = '';

/**
 * Remembers what a word of the text becomes (a term, or a term's number), so that lower-casing, stop words and
 * stemming are done once per distinct word and not once per occurrence.
 *
 * Direct-mapped: a word has one slot, chosen by its hash, and takes it from whatever word was there. So the size is
 * fixed, nothing has to be evicted, frequent words stay, and a hit neither allocates nor hashes a string object. Equal
 * words give the very same string, whose hash V8 has at hand when the caller looks it up in a map of its own.
 */
export class TermCache<T> {
  readonly #derive: (word: string) => T;
  readonly #words: string[];
  readonly #values: T[];
  readonly #mask: number;

  /**
   * @param derive word → value, a pure function.
   * @param unused any value, for slots that no word has taken yet.
   * @param slots how many words to remember, a power of two.
   */
  constructor(derive: (word: string) => T, unused: T, slots: number) {
    this.#derive = derive;
    this.#words = Array.from({ length: slots }, () => EMPTY);
    this.#values = Array.from({ length: slots }, () => unused);
    this.#mask = slots - 1;
  }

  /** What the word `text[start, end)` becomes. */
  of(text: string, start: number, end: number): T {
    const length = end - start;
    if (length > MAX_CACHED_LENGTH) return this.#derive(copy(text, start, end));
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    const cached = this.#words[slot]!;
    if (cached.length === length && matches(text, start, cached)) return this.#values[slot]!;
    const word = copy(text, start, end);
    const value = this.#derive(word);
    this.#words[slot] = word;
    this.#values[slot] = value;
    return value;
  }
}

function matches(text: string, start: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false;
  }
  return true;
}

/** V8 copies shorter slices, and makes longer ones views of the text. */
const SHORTEST_VIEW = 13;

/**
 * `text.slice(start, end)` as a string of its own: a view would keep the whole text in memory for as long as the word
 * lives, and words live in caches and dictionaries.
 */
function copy(text: string, start: number, end: number): string {
  const slice = text.slice(start, end);
  if (slice.length < SHORTEST_VIEW) return slice;
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
