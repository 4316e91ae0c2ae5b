import { randomWords } from '../evaluation/index.js';

/**
 * A random generator for one purpose: the same parts give the same numbers, independent of other generators. So the
 * order of epoch 3 or the dropout of step 1,000 can be computed without the epochs and steps before.
 */
export class Random {
  readonly #next: () => number;

  constructor(...parts: readonly (number | string)[]) {
    // The FNV-1a hash of the parts, which randomWords mixes further.
    let seed = 0x811c9dc5;
    for (const letter of parts.join('\n')) seed = Math.imul(seed ^ letter.codePointAt(0)!, 0x01000193);
    this.#next = randomWords(seed);
  }

  /** 32 random bits. */
  word(): number {
    return this.#next();
  }

  /** A number in [0, 1). */
  unit(): number {
    return (this.#next() >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.unit() * count);
  }

  /** So many numbers in ±bound. */
  symmetric(count: number, bound: number): Float32Array<ArrayBuffer> {
    return Float32Array.from({ length: count }, () => bound * (2 * this.unit() - 1));
  }

  /** Shuffles items in place (Fisher and Yates). */
  shuffle<T extends unknown[] | Uint32Array>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [items[i], items[other]] = [items[other], items[i]];
    }
    return items;
  }

  /** A uniform random sample of the items, in their order. */
  sample<T>(items: readonly T[], count: number): T[] {
    if (items.length <= count) return [...items];
    const places = this.shuffle(Uint32Array.from(items, (_, i) => i)).subarray(0, count);
    return Array.from(places.sort(), (place) => items[place]);
  }
}
