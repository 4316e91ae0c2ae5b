import type { Candidates, TermCursor } from './cursor.js';
import type { TopK } from './top-k.js';

/** The number of documents in a window; their sums fit into the processor's first cache. */
export const WINDOW = 4096;

/** The evaluation of one window: sums of contributions, and candidates for the top. */
export class Window {
  private readonly sums = new Float64Array(WINDOW);
  /** A bit for every slot with a contribution, which may be 0. */
  private readonly touched = new Int32Array(WINDOW >> 5);
  private readonly candidates: Candidates = {
    slots: new Int32Array(WINDOW),
    scores: new Float64Array(WINDOW),
  };

  evaluate(
    terms: readonly TermCursor[],
    essential: number,
    threshold: number,
    from: number,
    to: number,
    top: TopK,
  ): void {
    const { candidates } = this;
    let all = 0;
    let rest = 0;
    for (let t = 0; t < terms.length; t++) {
      all += terms[t].windowBound;
      if (t < essential) rest += terms[t].windowBound;
    }
    let count: number;
    if (essential === terms.length - 1) {
      const term = terms[essential];
      count = term.gather(from, to, candidates, threshold - (all - term.windowBound), threshold - rest);
    } else {
      for (let t = essential; t < terms.length; t++) {
        const term = terms[t];
        if (term.inWindow)
          term.accumulate(from, to, this.sums, this.touched, threshold - (all - term.windowBound));
      }
      count = this.collect(threshold - rest);
    }
    // Non-essential terms follow, strongest first. Each drops the candidates that can no longer reach the threshold.
    for (let t = essential - 1; t >= 0 && count > 0; t--) {
      const term = terms[t];
      rest -= term.windowBound;
      if (term.inWindow) count = term.complete(from, candidates, count, threshold - rest);
    }
    const { slots, scores } = candidates;
    for (let c = 0; c < count; c++) {
      if (scores[c] >= top.threshold) top.add(scores[c], from + slots[c]);
    }
  }

  /** Collects the slots with a sum of at least `needed`, ascending, and resets all sums. */
  private collect(needed: number): number {
    const { sums, touched } = this;
    const { slots, scores } = this.candidates;
    let count = 0;
    for (let w = 0; w < touched.length; w++) {
      let bits = touched[w];
      if (bits === 0) continue;
      touched[w] = 0;
      do {
        const slot = (w << 5) + 31 - Math.clz32(bits & -bits);
        bits &= bits - 1;
        const sum = sums[slot];
        sums[slot] = 0;
        slots[count] = slot;
        scores[count] = sum;
        if (sum >= needed) count++;
      } while (bits !== 0);
    }
    return count;
  }
}
