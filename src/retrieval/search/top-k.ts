import { GRID_STEP } from '../models/model.js';

const STEPS = 1024;

/**
 * The best k (score, document) pairs of a stream. Equal scores are ordered by `ranks`, lower first; ranks are distinct.
 *
 * Pairs are kept in a buffer, and a histogram of their scores gives the k-th best score to within a step. Where many
 * scores are equal and the buffer is full, quickselect removes the worse part, and the threshold is exact.
 */
export class TopK {
  private scores = new Float64Array(0);
  private documents = new Uint32Array(0);
  /** The number of pairs in each step; the lowest step also holds scores of 0 and below. */
  private readonly counts = new Int32Array(STEPS);
  private stepsPerScore = 0;
  /** The lowest step that can hold one of the best k, and the number of pairs above it. */
  private step = 0;
  private above = 0;
  private size = 0;
  private k = 0;
  /** The number of pairs above a step that excludes it: k, or fewer while {@link speculate speculating}. */
  private enough = 0;
  /** A score that every document of the best k reaches. */
  threshold = Number.NEGATIVE_INFINITY;
  /** The highest possible rank of a document of the best k whose score equals the threshold. */
  private lastRank = Number.POSITIVE_INFINITY;

  constructor(private readonly ranks: Uint32Array) {}

  /** Starts a new search for the best `k` of scores that are at most `maxScore`. */
  start(k: number, maxScore: number): void {
    const capacity = Math.max(2 * k, 64);
    if (this.scores.length !== capacity) {
      this.scores = new Float64Array(capacity);
      this.documents = new Uint32Array(capacity);
    }
    this.counts.fill(0);
    this.stepsPerScore = maxScore > 0 ? (STEPS - 1) / maxScore : 0;
    this.step = 0;
    this.above = 0;
    this.size = 0;
    this.k = k;
    this.enough = k;
    this.threshold = Number.NEGATIVE_INFINITY;
    this.lastRank = Number.POSITIVE_INFINITY;
  }

  /**
   * Raises the threshold, until {@link settle}, when `enough` pairs, fewer than k, lie above a step, in the expectation
   * that later documents complete them to k. {@link isExact} tells whether they did.
   */
  speculate(enough: number): void {
    this.enough = enough;
  }

  settle(): void {
    this.enough = this.k;
  }

  /** True where k pairs reach the threshold, so that none of the best k was rejected. */
  isExact(): boolean {
    if (this.threshold === Number.NEGATIVE_INFINITY) return true;
    let reaching = 0;
    for (let i = 0; i < this.size; i++) if (this.scores[i] >= this.threshold) reaching++;
    return reaching >= this.k;
  }

  /** Adds a pair whose score reaches the threshold. */
  add(score: number, document: number): void {
    this.scores[this.size] = score;
    this.documents[this.size++] = document;
    const step = score > 0 ? (score * this.stepsPerScore) | 0 : 0;
    this.counts[step]++;
    if (step > this.step && ++this.above >= this.enough) this.raise();
    if (this.size === this.scores.length) this.dropWorse();
  }

  /**
   * The threshold for documents with ranks from `lowestRank` on; it is higher where they lose every tie with the k-th
   * best. This ends the search where many documents have equal scores, as short ones do.
   */
  thresholdFrom(lowestRank: number): number {
    return lowestRank > this.lastRank ? this.threshold + GRID_STEP : this.threshold;
  }

  /** The best pairs, best first, each mapped by `make`. */
  finish<T>(make: (document: number, score: number) => T): T[] {
    if (this.size > this.k) this.dropWorse();
    this.sort(0, this.size - 1);
    const best: T[] = [];
    for (let i = 0; i < this.size; i++) best.push(make(this.documents[i], this.scores[i]));
    return best;
  }

  /** Raises the lowest step: enough pairs lie above it. */
  private raise(): void {
    do this.above -= this.counts[++this.step];
    while (this.above >= this.enough);
    // Slightly lower, since the edge may be rounded up; a threshold that is too low is safe.
    const edge = (this.step / this.stepsPerScore) * (1 - 1e-12);
    if (edge > this.threshold) {
      this.threshold = edge;
      this.lastRank = Number.POSITIVE_INFINITY;
    }
  }

  /** Quickselect: moves the best k to the front, with the k-th last among them. */
  private dropWorse(): void {
    let low = 0;
    let high = this.size - 1;
    const last = this.k - 1;
    while (low < high) {
      const split = this.partition(low, high);
      if (split >= last) high = split;
      else low = split + 1;
    }
    this.size = this.k;
    if (this.scores[last] >= this.threshold) {
      this.threshold = this.scores[last];
      this.lastRank = this.ranks[this.documents[last]];
    }
  }

  private sort(low: number, high: number): void {
    while (low < high) {
      const split = this.partition(low, high);
      // Recursion on the smaller part keeps the stack logarithmic.
      if (split - low < high - split) {
        this.sort(low, split);
        low = split + 1;
      } else {
        this.sort(split + 1, high);
        high = split;
      }
    }
  }

  /** Hoare's partition around the middle pair: all of [low, split] come before all of (split, high]. */
  private partition(low: number, high: number): number {
    const scores = this.scores;
    const documents = this.documents;
    const { ranks } = this;
    const middle = (low + high) >> 1;
    const pivot = scores[middle];
    const pivotRank = ranks[documents[middle]];
    let i = low - 1;
    let j = high + 1;
    for (;;) {
      do i++;
      while (scores[i] > pivot || (scores[i] === pivot && ranks[documents[i]] < pivotRank));
      do j--;
      while (scores[j] < pivot || (scores[j] === pivot && ranks[documents[j]] > pivotRank));
      if (i >= j) return j;
      const score = scores[i];
      scores[i] = scores[j];
      scores[j] = score;
      const document = documents[i];
      documents[i] = documents[j];
      documents[j] = document;
    }
  }
}
