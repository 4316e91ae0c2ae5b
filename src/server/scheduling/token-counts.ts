import type { TextPair } from '../../bert/index.js';
import { throwIfAborted } from '../../common/errors.js';
import { TimeSlice } from '../../common/yield.js';
import type { SharedScorer } from './served-model.js';

/** Characters between two checks of the clock. */
const charactersPerCheck = 16_384;

/** The fixed cost of a pair, in characters, in addition to its own characters. */
const charactersPerPair = 256;

/** Counts the tokens of every pair. That means tokenising them, so many pairs are counted with pauses. */
export async function tokenCounts(
  scorer: Pick<SharedScorer, 'lengthOf'>,
  pairs: readonly TextPair[],
  signal?: AbortSignal,
): Promise<Uint32Array> {
  const counts = new Uint32Array(pairs.length);
  const slice = new TimeSlice();
  let characters = 0;
  for (const [i, pair] of pairs.entries()) {
    if (characters >= charactersPerCheck) {
      characters = 0;
      if (slice.isOver) {
        await slice.yield();
        throwIfAborted(signal);
      }
    }
    counts[i] = scorer.lengthOf(pair);
    // Texts that were met before take time too.
    characters += pair.a.length + pair.b.length + charactersPerPair;
  }
  return counts;
}
