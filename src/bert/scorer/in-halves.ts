import { concat } from '../../common/concat.js';
import { failureError } from '../../common/errors.js';
import { asCardFailure } from '../runtime/cuda-failure.js';
import { isOutOfMemory } from '../runtime/out-of-memory.js';
import { type RunBatch, sum } from './session.js';

/** Runs a packed batch that exceeds the memory of the card as two batches of half its sequences. */
export function inHalvesWhereFull(run: RunBatch): RunBatch {
  return async function attempt(ids, splits, length, ends): Promise<Float32Array> {
    try {
      return await run(ids, splits, length, ends);
    } catch (error) {
      if (!isOutOfMemory(error)) throw asCardFailure(error);
      if (!ends || splits.length < 2) {
        const message = `The memory of the card does not hold a sequence of ${ids.length} tokens.`;
        throw failureError(message, error);
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
