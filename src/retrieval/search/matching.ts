import { throwIfAborted } from '../../errors.js';
import type { TermCursor } from './cursor.js';
import { TopK } from './top-k.js';

// Hot classes of this folder keep `private` fields: V8 looks up `#private` ones at every access inside a loop.

/** Documents handled together: their sums stay in the processor's first cache. */
const WINDOW = 4096;

/** The upper half of the double -0 (Node runs on little-endian machines). */
const UNTOUCHED = 0x8000_0000 | 0;

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
 */
export function match(
  cursors: readonly TermCursor[],
  documents: number,
  order: IdOrder,
  { depth, prune = true, signal }: MatchOptions,
): { document: number; score: number }[] {
  const maxScore = cursors.reduce((sum, { bound }) => sum + bound, 0);
  const top = new TopK(Math.min(depth, documents), order.ranks, maxScore);
  const window = new Window();
  const terms = [...cursors];
  for (let from = 0; from < documents; from += WINDOW) {
    const to = Math.min(from + WINDOW, documents);
    for (const term of terms) term.enterWindow(from, to);
    const threshold = top.thresholdFrom(order.lowest[from / WINDOW]);
    const essential = prune ? partition(terms, threshold) : 0;
    if (essential < terms.length) window.evaluate(terms, essential, threshold, from, to, top);
    if ((from / WINDOW) % 64 === 0) throwIfAborted(signal);
  }
  return top.finish();
}

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

/**
 * The sums of one window. They start at -0: adding any contribution, +0 included, gives something else, so the sign
 * tells the documents that have a term from those that have none, at no cost per posting.
 */
class Window {
  private readonly sums = new Float64Array(WINDOW).fill(-0);
  /** The same memory: the upper halves of the doubles stand at odd places. */
  private readonly halves = new Int32Array(this.sums.buffer);
  private readonly candidates = new Int32Array(WINDOW);

  evaluate(
    terms: readonly TermCursor[],
    essential: number,
    threshold: number,
    from: number,
    to: number,
    top: TopK,
  ): void {
    const { sums, candidates } = this;
    let all = 0;
    for (const { windowBound } of terms) all += windowBound;
    for (let t = essential; t < terms.length; t++) {
      const term = terms[t];
      if (term.inWindow) term.accumulate(from, to, sums, threshold - (all - term.windowBound));
    }
    let rest = 0;
    for (let t = 0; t < essential; t++) rest += terms[t].windowBound;
    let count = this.collect(to - from, threshold - rest);
    // From the strongest non-essential term down: after each, drop who cannot make it any more.
    for (let t = essential - 1; t >= 0 && count > 0; t--) {
      const term = terms[t];
      rest -= term.windowBound;
      if (term.inWindow) count = this.complete(term, from, count, threshold - rest);
    }
    for (let c = 0; c < count; c++) {
      const slot = candidates[c];
      if (sums[slot] >= top.threshold) top.add(sums[slot], from + slot);
    }
    sums.fill(-0);
  }

  /** Adds a term to the candidates, and keeps those whose sum is then at least `needed`. */
  private complete(term: TermCursor, from: number, count: number, needed: number): number {
    const { sums, candidates } = this;
    let kept = 0;
    for (let c = 0; c < count; c++) {
      const slot = candidates[c];
      const sum = sums[slot];
      // The block's bound may rule the document out before the block is decoded.
      if (sum + term.boundAt(from + slot) < needed) continue;
      const completed = sum + term.contribution(from + slot);
      if (completed < needed) continue;
      sums[slot] = completed;
      candidates[kept++] = slot;
    }
    return kept;
  }

  /** The slots that have been added to and whose sum is at least `needed`, ascending. */
  private collect(size: number, needed: number): number {
    const { sums, halves, candidates } = this;
    let count = 0;
    for (let slot = 0; slot < size; slot++) {
      if (sums[slot] >= needed && halves[2 * slot + 1] !== UNTOUCHED) candidates[count++] = slot;
    }
    return count;
  }
}
