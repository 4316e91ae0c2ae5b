import type { TextPair } from '../../bert/index.js';
import { throwIfAborted } from '../../common/errors.js';
import { TimeSlice } from '../../common/yield.js';
import type { SharedScorer } from './served-model.js';

/** Pairs between two checks of the clock. */
const pairsPerCheck = 16;

/** Counts the tokens of every pair. That means tokenising them, so many pairs are counted with pauses. */
export async function tokenCounts(
  scorer: Pick<SharedScorer, 'lengthOf'>,
  pairs: readonly TextPair[],
  signal?: AbortSignal,
): Promise<Uint32Array> {
  const counts = new Uint32Array(pairs.length);
  const slice = new TimeSlice();
  for (let i = 0; i < pairs.length; i++) {
    if (i > 0 && i % pairsPerCheck === 0 && slice.isOver) {
      await slice.yield();
      throwIfAborted(signal);
    }
    counts[i] = scorer.lengthOf(pairs[i]);
  }
  return counts;
}
