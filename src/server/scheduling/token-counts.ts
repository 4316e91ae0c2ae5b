import type { TextPair } from '../../bert/index.js';
import type { SharedScorer } from './served-model.js';

type Counter = Pick<SharedScorer, 'lengthOf'>;

/** Milliseconds of counting after which the event loop gets a turn. */
const sliceMs = 4;

/** Pairs between two looks at the clock. */
const pairsPerLook = 16;

/** Tokens of every pair. Counting means tokenising: a few pairs are counted at once, many with pauses. */
export function tokenCounts(scorer: Counter, pairs: readonly TextPair[]): Uint32Array | Promise<Uint32Array> {
  const counts = new Uint32Array(pairs.length);
  const next = countSlice(scorer, pairs, counts, 0);
  return next === pairs.length ? counts : countRest(scorer, pairs, counts, next);
}

async function countRest(
  scorer: Counter,
  pairs: readonly TextPair[],
  counts: Uint32Array,
  first: number,
): Promise<Uint32Array> {
  for (let next = first; next < pairs.length;) {
    await new Promise((resolve) => setImmediate(resolve));
    next = countSlice(scorer, pairs, counts, next);
  }
  return counts;
}

/** Counts from `first` until the slice is over; returns the place of the next pair. */
function countSlice(scorer: Counter, pairs: readonly TextPair[], counts: Uint32Array, first: number): number {
  const started = performance.now();
  for (let i = first; i < pairs.length; i++) {
    counts[i] = scorer.lengthOf(pairs[i]);
    if ((i + 1) % pairsPerLook === 0 && performance.now() - started > sliceMs) return i + 1;
  }
  return pairs.length;
}
