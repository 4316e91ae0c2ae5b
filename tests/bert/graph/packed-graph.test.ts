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
import { ElementType, type Graph, type Value } from '../../../src/bert/onnx/index.js';
import { packedInputs } from '../../../src/bert/scorer/packed-batches.js';
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

/** The largest difference of a logit from Hugging Face's. */
async function largestDifference(
  name: string,
  precision: 'tf32' | 'fp32',
  roundsFactors = false,
): Promise<number> {
  const { config, lengths, logits } = seededCase(name);
  const graph = withPackingOnCpu(packedGraph(seededWeights(config), precision));
  if (roundsFactors) roundFactors(graph);
  return withSession(graph, async (session) => {
    const feeds = packedFeeds(lengths, config.vocabulary, config.maxPositions);
    const values = (await session.run(feeds))[GRAPH_LOGITS].data as Float32Array;
    expect(values).toHaveLength(lengths.length * config.labels);
    return Math.max(...logits.flat().map((logit, i) => Math.abs(logit - values[i])));
  });
}

describe('a packed graph', () => {
  const models = ['T', 'S', 'one layer, one label', 'tanh approximation', 'relu'];
  it.each(models)('gives the logits of Hugging Face transformers: %s', async (name) => {
    expect(await largestDifference(name, 'fp32')).toBeLessThan(1e-4);
  });

  it.each(models)('is near them with weights for TF32: %s', async (name) => {
    expect(await largestDifference(name, 'tf32')).toBeLessThan(1e-3);
  });

  // Rounded to 16 bits, factors have as many significant bits as in TF32.
  it('gives them in fp32 on a device that rounds the factors of products', async () => {
    expect(await largestDifference('S', 'fp32', true)).toBeLessThan(2e-5);
    expect(await largestDifference('S', 'tf32', true)).toBeGreaterThan(1e-4);
  });
});

/** Rounds the factors of all products to 16 bits. */
function roundFactors(graph: Graph): void {
  for (const node of graph.nodes.splice(0)) {
    const isProduct = ['MatMul', 'Gemm', 'FusedMatMul'].includes(node.op);
    const inputs = node.inputs.map((input, i) => {
      if (!isProduct || i > 1) return input;
      const half = graph.op('Cast', [input as Value], { to: ElementType.float16 });
      return graph.op('Cast', [half], { to: ElementType.float32 });
    });
    graph.nodes.push({ ...node, inputs });
  }
}
