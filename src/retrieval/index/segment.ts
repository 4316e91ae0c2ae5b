/**
 * Postings of the documents added since the last flush, in document order, with term numbers of their own. Memory is
 * bounded: the builder flushes when {@link isFull}.
 */
export class Segment {
  /** Term → local number. */
  readonly vocabulary = new Map<string, number>();
  /** Local term number of each posting, document by document. */
  readonly terms: Uint32Array;
  readonly frequencies: Uint32Array;
  /** Where each document's postings start; one more entry than documents. */
  readonly starts: number[] = [0];
  /** Local term number → number of documents that have it. */
  documentFrequencies: Uint32Array = new Uint32Array(1 << 16);
  /** Local term number → index of its posting in the document being added. */
  #slots: Uint32Array = new Uint32Array(1 << 16);
  #postings = 0;
  readonly #capacity: number;

  constructor(
    /** The number of the segment's first document. */
    readonly firstDocument: number,
    capacity: number,
  ) {
    this.#capacity = capacity;
    this.terms = new Uint32Array(capacity);
    this.frequencies = new Uint32Array(capacity);
  }

  get documents(): number {
    return this.starts.length - 1;
  }

  get postings(): number {
    return this.#postings;
  }

  /** Whether a document of `terms` terms might not fit any more. */
  isFull(terms: number): boolean {
    return this.#postings + terms > this.#capacity;
  }

  /** The local number of a term; a new one gets the next. */
  numberOf(term: string): number {
    const known = this.vocabulary.get(term);
    if (known !== undefined) return known;
    const next = this.vocabulary.size;
    this.vocabulary.set(term, next);
    if (next >= this.#slots.length) this.#grow();
    return next;
  }

  /** Adds the next document, given as local term numbers; its postings come in order of first occurrence. */
  add(documentTerms: readonly number[]): void {
    const { terms, frequencies } = this;
    const start = this.#postings;
    let end = start;
    for (const local of documentTerms) {
      // A slot may be left over from an earlier document; it counts only if it points at this term, here.
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

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    slots.set(this.#slots);
    this.#slots = slots;
    const frequencies = new Uint32Array(slots.length);
    frequencies.set(this.documentFrequencies);
    this.documentFrequencies = frequencies;
  }
}
