import { Tensor } from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import {
  GRAPH_IDS,
  GRAPH_LOGITS,
  GRAPH_PLACES,
  GRAPH_SLOTS,
  GRAPH_STARTS,
  packedGraph,
} from '../../../src/bert/graph/index.js';
import { packedInputs } from '../../../src/bert/scorer/packed-inputs.js';
import { withPackingOnCpu } from './packing-on-cpu.js';
import { withSession } from './run-graph.js';
import { seededCase, seededSequence, seededWeights } from './seeded-model.js';

/** The inputs of the fixture's sequences of these lengths in one batch. */
function packedFeeds(lengths: readonly number[], vocabulary: number, maxPositions: number) {
  const sequences = lengths.map((length) => seededSequence(length, vocabulary));
  const ids = Int32Array.from(sequences.flatMap(({ ids }) => [...ids]));
  const splits = Int32Array.from(sequences, ({ types }) => types.indexOf(1));
  const { slots, starts, places, longest } = packedInputs(splits, Int32Array.from(lengths), maxPositions);
  return {
    [GRAPH_IDS]: new Tensor('int32', ids, [ids.length]),
    [GRAPH_SLOTS]: new Tensor('int32', slots, [slots.length]),
    [GRAPH_STARTS]: new Tensor('int32', starts, [starts.length]),
    [GRAPH_PLACES]: new Tensor('int32', places, [lengths.length, longest]),
  };
}

describe('a packed graph', () => {
  const models = ['T', 'S', 'one layer, one label', 'tanh approximation', 'relu'];
  it.each(models)('gives the logits of Hugging Face transformers: %s', async (name) => {
    const { config, lengths, logits } = seededCase(name);
    const graph = withPackingOnCpu(packedGraph(seededWeights(config), 'float32'));
    await withSession(graph, async (session) => {
      const feeds = packedFeeds(lengths, config.vocabulary, config.maxPositions);
      const values = (await session.run(feeds))[GRAPH_LOGITS].data as Float32Array;
      const found = lengths.map((_, i) => [...values.subarray(i * config.labels, (i + 1) * config.labels)]);
      found.forEach((row, i) =>
        row.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(1e-4)),
      );
    });
  });
});
