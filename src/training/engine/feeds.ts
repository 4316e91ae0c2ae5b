import { Tensor } from 'onnxruntime-node';
import type { ModelConfig } from '../../bert/index.js';
import { concat } from '../../common/concat.js';
import { BATCH_COLUMNS, RUN, WANTED } from '../graph/index.js';
import { longest, padded, type TrainingBatch } from './micro-batch.js';

/** Sequences are padded to multiples of this: products of 16 bits want sizes of multiples, and few sizes are reused. */
const LENGTH_STEP = 32;

/** The arrays of a run of many micro-batches, one after the other, and the table of their places. */
export function runArrays(
  batches: readonly TrainingBatch[],
  { maxPositions }: ModelConfig,
): Record<string, Tensor> {
  const filled = batches.map((batch) => {
    const length = LENGTH_STEP * Math.ceil(longest(batch.lengths) / LENGTH_STEP);
    return padded(batch, Math.min(length, maxPositions));
  });
  const places = { tokens: 0, sequences: 0, rows: 0 };
  const table = batches.map(({ lengths, targets, columns }, i) => {
    const { tokens, sequences, rows } = places;
    places.tokens += filled[i].ids.length;
    places.sequences += lengths.length;
    places.rows += targets.length / columns;
    return [tokens, places.tokens, sequences, places.sequences, rows, places.rows, filled[i].sequence];
  });
  const columns = batches[0]?.columns ?? 1;
  const targets = Float32Array.from(batches.flatMap((batch) => [...batch.targets]));
  const wanted = filled.flatMap((batch) => batch.wanted ?? []);
  return {
    ...(wanted.length > 0 && { [WANTED]: tensorOf(wanted) }),
    [RUN.ids]: tensorOf(filled.map(({ ids }) => ids)),
    [RUN.lengths]: tensorOf(batches.map(({ lengths }) => lengths)),
    [RUN.splits]: tensorOf(batches.map(({ splits }) => splits)),
    [RUN.targets]: new Tensor('float32', targets, [places.rows, columns]),
    [RUN.batches]: new Tensor('int64', BigInt64Array.from(table.flat(), BigInt), [
      batches.length,
      BATCH_COLUMNS,
    ]),
  };
}

function tensorOf(arrays: readonly Int32Array[]): Tensor {
  const all = concat(Int32Array, arrays);
  return new Tensor('int32', all, [all.length]);
}
