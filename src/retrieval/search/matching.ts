import { throwIfAborted } from '../../common/errors.js';
import type { TermCursor } from './cursor.js';
import { TopK } from './top-k.js';
import { WINDOW, Window } from './window.js';

// Hot classes of this folder keep `private` fields: V8 looks up `#private` ones at every access inside a loop.

/** In collections of at least so many windows, the threshold is guessed from a sample of them… */
const MIN_WINDOWS_TO_SAMPLE = 8;
/** …of one in so many, and at least two. */
const SAMPLE_STRIDE = 16;

export interface MatchOptions {
  /** How many documents to return at most. */
  readonly depth: number;
  /** Off: score every posting. The answer is the same; tests prove it. */
  readonly prune?: boolean;
  readonly signal?: AbortSignal;
}

/** Where each document stands in the byte order of ids, which decides ties. */
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
 * Exact top-k by MaxScore over windows of document numbers. In each window, terms whose bounds together cannot lift
 * a document over the threshold (the k-th best score so far) are "non-essential": a document that has only such terms
 * cannot enter, so candidates come from the other, essential terms, summed term at a time; the rest is looked up for
 * candidates that can still make it. Bounds are taken from the blocks in the window (block-max).
 *
 * A threshold that is high from the start saves most of the work. So some windows, spread over the collection, come
 * first, and their scores tell about where the k-th best of all will lie. Where that was too high, which the number of
 * results shows, everything is done again without the guess.
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

  /** What `make` makes of the best documents, best first. */
  match<T>(
    cursors: readonly TermCursor[],
    { depth, prune = true, signal }: MatchOptions,
    make: (document: number, score: number) => T,
  ): T[] {
    const { top } = this;
    const k = Math.min(depth, this.documents);
    const maxScore = cursors.reduce((sum, { bound }) => sum + bound, 0);
    const terms = [...cursors];
    top.start(k, maxScore);
    if (!prune || !this.matchWithGuess(terms, k, signal)) {
      top.start(k, maxScore);
      this.pass(terms, prune, signal, everyWindow);
    }
    return top.finish(make);
  }

  /** Returns whether `top` now holds the best k; if not, nothing is known. */
  private matchWithGuess(terms: TermCursor[], k: number, signal: AbortSignal | undefined): boolean {
    const windows = Math.ceil(this.documents / WINDOW);
    const stride = Math.min(SAMPLE_STRIDE, Math.ceil(windows / 2));
    const expected = (k * Math.ceil(windows / stride)) / windows;
    // So many of the best k stand in the sample; a quarter more, and three standard deviations, make the bet safe.
    const enough = Math.ceil(1.25 * expected + 3 * Math.sqrt(expected));
    if (windows < MIN_WINDOWS_TO_SAMPLE || enough >= k) return false;
    this.top.speculate(enough);
    this.pass(terms, true, signal, (window) => window % stride === 0);
    this.top.settle();
    this.pass(terms, true, signal, (window) => window % stride !== 0);
    return this.top.isExact();
  }

  private pass(
    terms: TermCursor[],
    prune: boolean,
    signal: AbortSignal | undefined,
    includes: (window: number) => boolean,
  ): void {
    const { top, documents, order } = this;
    for (const term of terms) term.rewind();
    for (let window = 0, from = 0; from < documents; window++, from += WINDOW) {
      if (window % 64 === 0) throwIfAborted(signal);
      if (!includes(window)) continue;
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
 * Orders the terms by their bound in the window, and returns how many of the first are non-essential. A document may
 * win a tie at the threshold, so the bounds must stay strictly below it.
 */
function partition(terms: TermCursor[], threshold: number): number {
  if (threshold === Number.NEGATIVE_INFINITY) return 0;
  // Insertion sort: few terms, and nearly in order from the last window.
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
