import type { Postings } from '../index/index.js';
import type { TermScorer } from '../models/index.js';

const NONE = new Int32Array(0);

/** A query term on its way through its postings, document numbers ascending. */
export class TermCursor {
  /** At least the contribution of any posting of each block, never below 0: a document may lack the term. */
  readonly blockBounds: Float64Array;
  /** The largest of them. */
  readonly bound: number;
  /** The largest bound among the blocks that overlap the current window. */
  windowBound = 0;
  /** Whether the current window may hold postings at all. Contributions may be negative, so a bound of 0 says less. */
  inWindow = false;
  /** The block that holds the next postings; its decoded form is in `postings` when `decoded` says so. */
  block = 0;
  private decoded = -1;
  private decodedFrequencies = -1;
  private frequencies: Int32Array = NONE;
  private count = 0;
  private at = 0;

  constructor(
    readonly postings: Postings,
    readonly scorer: TermScorer,
    private readonly lengths: Uint32Array,
  ) {
    const { blocks, maxFrequency, minLength, maxDph } = postings;
    this.blockBounds = new Float64Array(blocks);
    const maxima = { maxFrequency: 0, minLength: 0, maxDph: 0 };
    let bound = 0;
    for (let b = 0; b < blocks; b++) {
      maxima.maxFrequency = maxFrequency[b];
      maxima.minLength = minLength[b];
      maxima.maxDph = maxDph[b];
      const blockBound = Math.max(0, scorer.bound(maxima));
      this.blockBounds[b] = blockBound;
      if (blockBound > bound) bound = blockBound;
    }
    this.bound = bound;
  }

  /** Moves to the window [from, to) and bounds the term's contributions inside it. */
  enterWindow(from: number, to: number): void {
    const { postings, blockBounds } = this;
    this.block = postings.seek(from, this.block);
    this.inWindow = this.block < postings.blocks;
    let bound = 0;
    for (let b = this.block; b < postings.blocks; b++) {
      if (blockBounds[b] > bound) bound = blockBounds[b];
      if (postings.lastDocument[b] >= to - 1) break;
    }
    this.windowBound = bound;
  }

  /**
   * Adds the contributions of the postings in [from, to) to `sums`. Blocks whose bound is under `needed` are passed
   * over: the caller knows that their documents cannot make it, with or without this term.
   */
  accumulate(from: number, to: number, sums: Float64Array, needed: number): void {
    const { postings, scorer, lengths, blockBounds } = this;
    const { documents, blocks, lastDocument } = postings;
    for (; this.block < blocks; this.block++) {
      if (blockBounds[this.block] < needed) {
        if (lastDocument[this.block] >= to - 1) return;
        continue;
      }
      this.decode();
      const count = this.count;
      const frequencies = this.decodeFrequencies();
      let at = firstAtLeast(documents, from, this.at, count);
      // A block that ends inside the window needs no comparison per posting.
      const end = documents[count - 1] < to ? count : firstAtLeast(documents, to, at, count);
      for (; at < end; at++) {
        const document = documents[at];
        sums[document - from] += scorer.score(frequencies[at], lengths[document]);
      }
      this.at = at;
      if (at < count) return;
    }
  }

  /** The bound of the block that may hold `document`; documents must be asked for in ascending order. */
  boundAt(document: number): number {
    this.block = this.postings.seek(document, this.block);
    return this.block < this.postings.blocks ? this.blockBounds[this.block] : 0;
  }

  /** The contribution to the document that {@link boundAt} was asked for last. */
  contribution(document: number): number {
    const { postings } = this;
    if (this.block === postings.blocks) return 0;
    this.decode();
    const { documents } = postings;
    let at = this.at;
    while (documents[at] < document) at++;
    this.at = at;
    return documents[at] === document ? this.scorer.score(postings.frequency(at), this.lengths[document]) : 0;
  }

  private decode(): void {
    if (this.decoded === this.block) return;
    this.count = this.postings.decode(this.block);
    this.decoded = this.block;
    this.at = 0;
  }

  private decodeFrequencies(): Int32Array {
    if (this.decodedFrequencies !== this.block) {
      this.frequencies = this.postings.decodeFrequencies(this.count);
      this.decodedFrequencies = this.block;
    }
    return this.frequencies;
  }
}

/** The first place in [low, high) whose document is at least `document`. */
function firstAtLeast(documents: Int32Array, document: number, low: number, high: number): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (documents[middle] < document) low = middle + 1;
    else high = middle;
  }
  return low;
}
