import { BertQeError, reasonOf } from '../../common/errors.js';
import type { Feeds } from './feeds.js';

/** Computes the logits of one batch. */
export type RunBatch = (...batch: Parameters<Feeds>) => Promise<Float32Array>;

/** Messages of onnxruntime and CUDA for memory that is used up. */
const OUT_OF_MEMORY =
  /failed to allocate|out of memory|CUDA(?: failure|_ERROR)? ?2\b|CUBLAS_STATUS_ALLOC_FAILED/i;

/** Runs a packed batch for which the card has no memory as two of half its sequences. */
export function inHalvesWhereFull(run: RunBatch): RunBatch {
  return async function attempt(ids, splits, length, ends): Promise<Float32Array> {
    try {
      return await run(ids, splits, length, ends);
    } catch (error) {
      if (!OUT_OF_MEMORY.test(reasonOf(error))) throw error;
      if (!ends || splits.length < 2) {
        const tokens = ids.length;
        const message = `The card has no memory left for a sequence of ${tokens} tokens: ${reasonOf(error)}`;
        throw new BertQeError('failure', message, { cause: error });
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
      const both = new Float32Array(first.length + second.length);
      both.set(first);
      both.set(second, first.length);
      return both;
    }
  };
}

/** The sum of integers. */
export function sum(values: Int32Array): number {
  return values.reduce((total, value) => total + value, 0);
}
