/**
 * The best k (score, document) pairs seen so far, worst on top: a binary heap in two typed arrays. Equal scores are
 * ordered by `ranks`, lower first.
 */
export class TopK {
  readonly #scores: Float64Array;
  readonly #documents: Uint32Array;
  #size = 0;

  constructor(
    readonly k: number,
    private readonly ranks: Uint32Array,
  ) {
    this.#scores = new Float64Array(k);
    this.#documents = new Uint32Array(k);
  }

  /** The score a document must reach (and, on equality, win the tie) to enter; -∞ until there are k. */
  get threshold(): number {
    return this.#size < this.k ? Number.NEGATIVE_INFINITY : this.#scores[0];
  }

  offer(score: number, document: number): void {
    if (this.#size < this.k) {
      this.#siftUp(this.#size++, score, document);
    } else if (this.#worse(this.#scores[0], this.#documents[0], score, document)) {
      this.#siftDown(score, document);
    }
  }

  /** Best first. Empties the heap. */
  drain(): { document: number; score: number }[] {
    const worstFirst: { document: number; score: number }[] = [];
    while (this.#size > 0) {
      worstFirst.push({ document: this.#documents[0], score: this.#scores[0] });
      this.#size--;
      this.#siftDown(this.#scores[this.#size], this.#documents[this.#size]);
    }
    return worstFirst.reverse();
  }

  #worse(scoreA: number, documentA: number, scoreB: number, documentB: number): boolean {
    return scoreA < scoreB || (scoreA === scoreB && this.ranks[documentA] > this.ranks[documentB]);
  }

  #siftUp(at: number, score: number, document: number): void {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#worse(score, document, this.#scores[parent], this.#documents[parent])) break;
      this.#scores[at] = this.#scores[parent];
      this.#documents[at] = this.#documents[parent];
      at = parent;
    }
    this.#scores[at] = score;
    this.#documents[at] = document;
  }

  #siftDown(score: number, document: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (
        right < this.#size &&
        this.#worse(this.#scores[right], this.#documents[right], this.#scores[child], this.#documents[child])
      ) {
        child = right;
      }
      if (!this.#worse(this.#scores[child], this.#documents[child], score, document)) break;
      this.#scores[at] = this.#scores[child];
      this.#documents[at] = this.#documents[child];
      at = child;
    }
    this.#scores[at] = score;
    this.#documents[at] = document;
  }
}
