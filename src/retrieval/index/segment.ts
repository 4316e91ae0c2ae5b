import { grown } from '../../common/concat.js';

/**
 * The postings of the documents since the last flush, in document order, with local term numbers. Memory is bounded: the
 * builder flushes when {@link isFull}.
 */
export class Segment {
  readonly vocabulary = new Map<string, number>();
  /** Local term number of each posting, document by document. */
  readonly terms: Uint32Array;
  readonly frequencies: Uint32Array;
  /** The first posting of each document; one more entry than documents. */
  readonly starts: number[] = [0];
  /** Number of documents with a term, by local term number. */
  documentFrequencies: Uint32Array = new Uint32Array(1 << 16);
  /** Index of a term's posting in the document being added, by local term number. */
  #slots: Uint32Array = new Uint32Array(1 << 16);
  #postings = 0;

  constructor(
    readonly firstDocument: number,
    private readonly capacity: number,
  ) {
    this.terms = new Uint32Array(capacity);
    this.frequencies = new Uint32Array(capacity);
  }

  get documents(): number {
    return this.starts.length - 1;
  }

  /** True where a document of `terms` terms may not fit. */
  isFull(terms: number): boolean {
    return this.#postings + terms > this.capacity;
  }

  /** The local number of a term; a new term gets the next number. */
  numberOf(term: string): number {
    const known = this.vocabulary.get(term);
    if (known !== undefined) return known;
    const next = this.vocabulary.size;
    this.vocabulary.set(term, next);
    if (next >= this.#slots.length) {
      this.#slots = grown(this.#slots);
      this.documentFrequencies = grown(this.documentFrequencies);
    }
    return next;
  }

  /** Adds the next document, given as local term numbers; its postings are in the order of first occurrence. */
  add(documentTerms: readonly number[]): void {
    const { terms, frequencies } = this;
    const start = this.#postings;
    let end = start;
    for (const local of documentTerms) {
      // A slot of an earlier document does not point at this term in this document.
      const slot = this.#slots[local];
      if (slot >= start && slot < end && terms[slot] === local) {
        frequencies[slot]++;
      } else {
        this.#slots[local] = end;
        this.documentFrequencies[local]++;
        terms[end] = local;
        frequencies[end++] = 1;
      }
    }
    this.#postings = end;
    this.starts.push(end);
  }
}
