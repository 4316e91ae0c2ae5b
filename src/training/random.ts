import { randomWords } from '../evaluation/index.js';

/**
 * A generator that belongs to a purpose: the same parts give the same numbers, whatever was drawn for other purposes
 * before. So the order of epoch 3 or the dropout of step 1,000 can be had without going through what came earlier.
 */
export class Random {
  readonly #next: () => number;

  constructor(...parts: readonly (number | string)[]) {
    // FNV-1a over the parts; randomWords mixes it thoroughly.
    let seed = 0x811c9dc5;
    for (const letter of parts.join('\n')) seed = Math.imul(seed ^ letter.codePointAt(0)!, 0x01000193);
    this.#next = randomWords(seed);
  }

  /** 32 random bits. */
  word(): number {
    return this.#next();
  }

  /** In [0, 1). */
  unit(): number {
    return (this.#next() >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, not including, `count`. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** Puts items into random order, in place (Fisher and Yates). */
  shuffle<T extends unknown[] | Uint32Array>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [items[i], items[other]] = [items[other], items[i]];
    }
    return items;
  }

  /** `count` of the items, each as likely as any other, in the order they came in. */
  sample<T>(items: readonly T[], count: number): T[] {
    if (items.length <= count) return [...items];
    const places = this.shuffle(Uint32Array.from(items, (_, i) => i)).subarray(0, count);
    return Array.from(places.sort(), (place) => items[place]);
  }
}
