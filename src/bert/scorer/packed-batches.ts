import { concat } from '../../common/concat.js';
import { failureError } from '../../common/errors.js';
import { GRAPH_IDS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from '../graph/names.js';
import { asCardFailure, isOutOfMemory } from '../runtime/failures.js';
import type { Feeds, FeedsOf } from './feeds.js';
import { type RunBatch, sum } from './session.js';

/**
 * The inputs of a packed graph, beside the ids, for sequences that follow each other without padding. `splits` are the
 * positions of second texts, whose slots are `secondSlots` further. `starts` are the first token of each sequence and
 * the end of the last; `places` those of tokens in sequences padded to the longest, and those of padding at the end.
 */
export function packedInputs(splits: Int32Array, lengths: Int32Array, secondSlots: number) {
  const rows = lengths.length;
  const starts = new Int32Array(rows + 1);
  lengths.forEach((length, row) => (starts[row + 1] = starts[row] + length));
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const slots = new Int32Array(starts[rows]);
  const places = new Int32Array(rows * longest);
  let padding = starts[rows];
  for (let row = 0, place = 0; row < rows; row++) {
    const start = starts[row];
    for (let position = 0; position < longest; position++, place++) {
      if (position >= lengths[row]) places[padding++] = place;
      else {
        places[start + position] = place;
        slots[start + position] = position < splits[row] ? position : secondSlots + position;
      }
    }
  }
  return { slots, starts, places, longest };
}

export const packedFeeds: FeedsOf = ({ model, secondSegment }, _, Tensor): Feeds => {
  const secondSlots = secondSegment * model.maxPositions;
  return (ids, splits, length, ends = new Int32Array(splits.length).fill(length)) => {
    const { slots, starts, places, longest } = packedInputs(splits, ends, secondSlots);
    return {
      [GRAPH_IDS]: new Tensor('int32', ids, [ids.length]),
      [GRAPH_SLOTS]: new Tensor('int32', slots, [slots.length]),
      [GRAPH_STARTS]: new Tensor('int32', starts, [starts.length]),
      [GRAPH_PLACES]: new Tensor('int32', places, [splits.length, longest]),
    };
  };
};

/** Runs a packed batch that exceeds the memory of the card as two batches of half its sequences. */
export function inHalvesWhereFull(run: RunBatch): RunBatch {
  return async function attempt(ids, splits, length, ends): Promise<Float32Array> {
    try {
      return await run(ids, splits, length, ends);
    } catch (error) {
      if (!isOutOfMemory(error)) throw asCardFailure(error);
      if (!ends || splits.length < 2) {
        throw failureError(`The memory of the card does not hold a sequence of ${ids.length} tokens.`, error);
      }
      const half = splits.length >> 1;
      const token = sum(ends.subarray(0, half));
      const first = await attempt(
        ids.subarray(0, token),
        splits.subarray(0, half),
        length,
        ends.subarray(0, half),
      );
      const second = await attempt(ids.subarray(token), splits.subarray(half), length, ends.subarray(half));
      return concat(Float32Array, [first, second]);
    }
  };
}
