import { throwIfAborted } from '../../common/errors.js';
import type { TermCursor } from './cursor.js';
import { TopK } from './top-k.js';
import { WINDOW, Window } from './window.js';

// Classes of this folder with hot loops have `private` fields: V8 looks up `#private` ones at every access.

/** Collections of at least so many windows have their threshold estimated from a sample of windows. */
const MIN_WINDOWS_TO_SAMPLE = 8;
/** The sample holds one window in so many, and at least two. */
const SAMPLE_STRIDE = 16;

export interface MatchOptions {
  readonly depth: number;
  /** False scores every posting, with the same result (true). */
  readonly prune?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The byte order of document ids, which breaks ties. */
export class IdOrder {
  /** The lowest rank in each window. */
  readonly lowest: Float64Array;

  constructor(readonly ranks: Uint32Array) {
    this.lowest = new Float64Array(Math.ceil(ranks.length / WINDOW)).fill(Number.POSITIVE_INFINITY);
    for (let document = 0; document < ranks.length; document++) {
      const window = Math.floor(document / WINDOW);
      if (ranks[document] < this.lowest[window]) this.lowest[window] = ranks[document];
    }
  }
}

/**
 * Exact top-k by MaxScore over windows of document numbers. The threshold is the k-th best score so far. In each window,
 * terms whose bounds together stay below the threshold are non-essential: a document with no other terms cannot enter.
 * So candidates come from the essential terms, summed term at a time, and non-essential terms are looked up for
 * candidates that can still reach the threshold. Bounds come from the blocks in the window (block-max).
 *
 * A high threshold at the start saves most of the work. So a sample of windows is evaluated first, and the threshold is
 * estimated from its scores. Where the estimate was too high, which the number of results shows, the search is repeated
 * without it.
 */
export class Matcher {
  private readonly top: TopK;
  private readonly window = new Window();

  constructor(
    private readonly documents: number,
    private readonly order: IdOrder,
  ) {
    this.top = new TopK(order.ranks);
  }

  /** The best documents, best first, each mapped by `make`. The steps of one search come before those of the next. */
  *match<T>(
    cursors: readonly TermCursor[],
    { depth, prune = true, signal }: MatchOptions,
    make: (document: number, score: number) => T,
  ): Generator<void, T[]> {
    const { top } = this;
    const k = Math.min(depth, this.documents);
    const maxScore = cursors.reduce((sum, { bound }) => sum + bound, 0);
    const terms = [...cursors];
    top.start(k, maxScore);
    if (!prune || !(yield* this.matchWithEstimate(terms, k, signal))) {
      top.start(k, maxScore);
      yield* this.pass(terms, prune, signal, everyWindow);
    }
    return top.finish(make);
  }

  /** Matches with an estimated threshold; true where `top` then holds the best k. */
  private *matchWithEstimate(
    terms: TermCursor[],
    k: number,
    signal: AbortSignal | undefined,
  ): Generator<void, boolean> {
    const windows = Math.ceil(this.documents / WINDOW);
    const stride = Math.min(SAMPLE_STRIDE, Math.ceil(windows / 2));
    const expected = (k * Math.ceil(windows / stride)) / windows;
    // The sample holds `expected` of the best k; a quarter and three standard deviations more make the estimate safe.
    const enough = Math.ceil(1.25 * expected + 3 * Math.sqrt(expected));
    if (windows < MIN_WINDOWS_TO_SAMPLE || enough >= k) return false;
    this.top.speculate(enough);
    yield* this.pass(terms, true, signal, (window) => window % stride === 0);
    this.top.settle();
    yield* this.pass(terms, true, signal, (window) => window % stride !== 0);
    return this.top.isExact();
  }

  private *pass(
    terms: TermCursor[],
    prune: boolean,
    signal: AbortSignal | undefined,
    includes: (window: number) => boolean,
  ): Generator<void, void> {
    const { top, documents, order } = this;
    for (const term of terms) term.rewind();
    for (let window = 0, from = 0; from < documents; window++, from += WINDOW) {
      if (window % 64 === 0) throwIfAborted(signal);
      if (!includes(window)) continue;
      yield;
      const to = Math.min(from + WINDOW, documents);
      for (const term of terms) term.enterWindow(from, to);
      const threshold = prune ? top.thresholdFrom(order.lowest[window]) : Number.NEGATIVE_INFINITY;
      const essential = partition(terms, threshold);
      if (essential < terms.length) this.window.evaluate(terms, essential, threshold, from, to, top);
    }
  }
}

const everyWindow = () => true;

/**
 * Sorts the terms by their bound in the window, and returns the number of non-essential ones. A document may win a tie
 * at the threshold, so their bounds must sum to less than the threshold.
 */
function partition(terms: TermCursor[], threshold: number): number {
  if (threshold === Number.NEGATIVE_INFINITY) return 0;
  // Insertion sort: the terms are few and almost sorted by the window before.
  for (let i = 1; i < terms.length; i++) {
    const term = terms[i];
    let at = i;
    while (at > 0 && terms[at - 1].windowBound > term.windowBound) {
      terms[at] = terms[at - 1];
      at--;
    }
    terms[at] = term;
  }
  let sum = 0;
  let count = 0;
  while (count < terms.length && sum + terms[count].windowBound < threshold)
    sum += terms[count++].windowBound;
  return count;
}
