import type { Postings } from '../index/postings.js';
import type { TermScorer } from '../models/model.js';

const NONE = new Int32Array(0);

/** A number above every document number. */
const END = 0x7fff_ffff;

/** Candidates of a window, ascending, with the sums of their terms so far. */
export interface Candidates {
  /** Document numbers relative to the window's first. */
  readonly slots: Int32Array;
  readonly scores: Float64Array;
}

/** A cursor over a query term's postings, by ascending document number. */
export class TermCursor {
  /** An upper bound of the contributions in each block; at least 0, since a document may lack the term. */
  readonly blockBounds: Float64Array;
  readonly bound: number;
  /** The largest bound among the blocks that overlap the current window. */
  windowBound = 0;
  /** True where the current window may hold postings. A bound of 0 does not say that: contributions may be negative. */
  inWindow = false;
  /** The block of the next postings; `decoded` is the block that `postings` has decoded. */
  block = 0;
  private decoded = -1;
  private decodedFrequencies = -1;
  private frequencies: Int32Array = NONE;
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

  rewind(): void {
    this.block = 0;
    this.decoded = -1;
    this.decodedFrequencies = -1;
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
   * Adds the contributions of the postings in [from, to) to `sums`, and marks their slots in the bitmap `touched`.
   * Blocks with a bound below `needed` are skipped: their documents cannot reach the threshold.
   */
  accumulate(from: number, to: number, sums: Float64Array, touched: Int32Array, needed: number): void {
    const { postings, scorer, lengths, blockBounds } = this;
    const { documents, blocks, lastDocument } = postings;
    for (; this.block < blocks; this.block++) {
      if (blockBounds[this.block] < needed) {
        if (lastDocument[this.block] >= to - 1) return;
        continue;
      }
      this.decode();
      const frequencies = this.decodeFrequencies();
      const { count } = postings;
      let at = firstAtLeast(documents, from, this.at, count);
      // A block that ends inside of the window needs no comparison per posting.
      const end = documents[count - 1] < to ? count : firstAtLeast(documents, to, at, count);
      for (; at < end; at++) {
        const document = documents[at];
        const slot = document - from;
        sums[slot] += scorer.score(frequencies[at], lengths[document]);
        touched[slot >> 5] |= 1 << slot;
      }
      this.at = at;
      if (at < count) return;
    }
  }

  /**
   * The {@link accumulate} of a window with a single essential term. Postings whose contribution is at least `enough`
   * become candidates. Returns their number.
   */
  gather(from: number, to: number, found: Candidates, needed: number, enough: number): number {
    const { postings, scorer, lengths, blockBounds } = this;
    const { documents, blocks, lastDocument } = postings;
    const { slots, scores } = found;
    let size = 0;
    for (; this.block < blocks; this.block++) {
      if (blockBounds[this.block] < needed) {
        if (lastDocument[this.block] >= to - 1) break;
        continue;
      }
      this.decode();
      const frequencies = this.decodeFrequencies();
      const { count } = postings;
      let at = firstAtLeast(documents, from, this.at, count);
      const end = documents[count - 1] < to ? count : firstAtLeast(documents, to, at, count);
      for (; at < end; at++) {
        const document = documents[at];
        const score = scorer.score(frequencies[at], lengths[document]);
        slots[size] = document - from;
        scores[size] = score;
        if (score >= enough) size++;
      }
      this.at = at;
      if (at < count) break;
    }
    return size;
  }

  /**
   * Adds the term's contributions to the first `count` candidates, keeps those whose sum is at least `needed`, and returns
   * their number.
   */
  complete(from: number, found: Candidates, count: number, needed: number): number {
    const { postings, blockBounds, scorer, lengths } = this;
    const { lastDocument, documents, blocks } = postings;
    const { slots, scores } = found;
    let kept = 0;
    let last = -1;
    let bound = 0;
    let opened = false;
    let searchable = false;
    let at = this.at;
    for (let c = 0; c < count; c++) {
      const slot = slots[c];
      const document = from + slot;
      let sum = scores[c];
      if (document > last) {
        const block = postings.seek(document, this.block);
        this.block = block;
        last = block < blocks ? lastDocument[block] : END;
        bound = block < blocks ? blockBounds[block] : 0;
        opened = false;
      }
      // The bound of the block may exclude the document before the block is decoded.
      if (sum + bound < needed) continue;
      if (last !== END) {
        if (!opened) {
          opened = true;
          searchable = postings.open(this.block);
          if (!searchable) at = this.decode();
        }
        let place = -1;
        if (searchable) {
          place = postings.find(document);
        } else {
          while (documents[at] < document) at++;
          if (documents[at] === document) place = at;
        }
        if (place >= 0) sum += scorer.score(postings.frequency(place), lengths[document]);
        if (sum < needed) continue;
      }
      slots[kept] = slot;
      scores[kept++] = sum;
    }
    this.at = at;
    return kept;
  }

  /** Decodes the current block, and returns the current place in it. */
  private decode(): number {
    if (this.decoded !== this.block) {
      this.postings.decode(this.block);
      this.decoded = this.block;
      this.at = 0;
    }
    return this.at;
  }

  private decodeFrequencies(): Int32Array {
    if (this.decodedFrequencies !== this.block) {
      this.frequencies = this.postings.decodeFrequencies();
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
