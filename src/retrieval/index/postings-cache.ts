import type { BlockFile } from './block-file.js';
import { LazyBytes } from './lazy-bytes.js';

/** The most postings that are kept in memory, in bytes. */
const MAX_BYTES = 128 << 20;

/** The postings of the terms that were used last. */
export class PostingsCache {
  /** By term number; the one used last comes last. */
  readonly #kept = new Map<number, LazyBytes>();
  #bytes = 0;

  constructor(private readonly file: BlockFile) {}

  get(term: number, start: number, end: number): LazyBytes {
    const found = this.#kept.get(term);
    if (found) this.#kept.delete(term);
    const postings = found ?? new LazyBytes(this.file, start, end);
    this.#kept.set(term, postings);
    return postings;
  }

  /** Calls {@link LazyBytes.ensure}; the postings of terms that were not used for long make room. */
  ensure(term: number, postings: LazyBytes, start: number, end: number): number {
    const before = postings.loaded;
    const loadedTo = postings.ensure(start, end);
    if (postings.loaded > before && this.#kept.get(term) === postings) {
      this.#bytes += postings.loaded - before;
      this.#makeRoom(term);
    }
    return loadedTo;
  }

  #makeRoom(used: number): void {
    for (const [term, { loaded }] of this.#kept) {
      if (this.#bytes <= MAX_BYTES || term === used) return;
      this.#kept.delete(term);
      this.#bytes -= loaded;
    }
  }
}
