import { Tensor } from 'onnxruntime-node';
import { GRAPH_IDS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from '../../../src/bert/graph/index.js';
import { packedInputs } from '../../../src/bert/scorer/packed-batches.js';

/** The inputs of packed sequences. */
export function packedFeeds(
  ids: Int32Array,
  splits: Int32Array,
  lengths: Int32Array,
  maxPositions: number,
): Record<string, Tensor> {
  const { slots, starts, places, longest } = packedInputs(splits, lengths, maxPositions);
  return {
    [GRAPH_IDS]: new Tensor('int32', ids, [ids.length]),
    [GRAPH_SLOTS]: new Tensor('int32', slots, [slots.length]),
    [GRAPH_STARTS]: new Tensor('int32', starts, [starts.length]),
    [GRAPH_PLACES]: new Tensor('int32', places, [lengths.length, longest]),
  };
}

/** Random sequences of these lengths. */
export function randomFeeds(lengths: Int32Array, vocabulary: number): Record<string, Tensor> {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const ids = Int32Array.from({ length: tokens }, () => Math.floor(Math.random() * vocabulary));
  return packedFeeds(
    ids,
    lengths.map((length) => Math.floor(length / 8)),
    lengths,
    512,
  );
}
