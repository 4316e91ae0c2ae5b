import { describe, expect, it } from 'vitest';
import { Tensor } from 'onnxruntime-node';
import {
  bertGraph,
  GRAPH_IDS,
  GRAPH_LOGITS,
  GRAPH_SLOTS,
  type GraphOptions,
  paddingSlot,
  unitsAtOnce,
} from '../../../src/bert/graph/index.js';
import { seededLogits, withSession } from './run-graph.js';
import { seededCase, seededSequence, seededWeights } from './seeded-model.js';

async function expectLogits(name: string, options?: GraphOptions, tolerance = 1e-4): Promise<void> {
  const { config, lengths, logits } = seededCase(name);
  await withSession(bertGraph(seededWeights(config), options), async (session) => {
    for (const [i, length] of lengths.entries()) {
      for (const row of await seededLogits(session, config, length, 3)) {
        row.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(tolerance));
      }
    }
  });
}

/** B and L are compared in tests/parity, where all sizes are read from each checkpoint format. */
/** Sequences of all lengths of a fixture in one batch, padded to the longest. */
async function paddedLogits(name: string, options: GraphOptions): Promise<number[][]> {
  const { config, lengths } = seededCase(name);
  const longest = Math.max(...lengths);
  const ids = new Int32Array(lengths.length * longest);
  const slots = new Int32Array(ids.length).fill(paddingSlot(config));
  lengths.forEach((length, row) => {
    const sequence = seededSequence(length, config.vocabulary);
    ids.set(sequence.ids, row * longest);
    slots.set(
      sequence.types.map((type, position) => type * config.maxPositions + position),
      row * longest,
    );
  });
  return withSession(bertGraph(seededWeights(config), options), async (session) => {
    const dims = [lengths.length, longest];
    const result = await session.run({
      [GRAPH_IDS]: new Tensor('int32', ids, dims),
      [GRAPH_SLOTS]: new Tensor('int32', slots, dims),
    });
    const values = result[GRAPH_LOGITS].data as Float32Array;
    return lengths.map((_, i) => [...values.subarray(i * config.labels, (i + 1) * config.labels)]);
  });
}

describe('the graph gives the logits of Hugging Face transformers', () => {
  const models = ['T', 'S', 'M', 'one layer, one label', 'tanh approximation', 'relu'];
  it.each(models)('%s', { timeout: 600_000 }, async (name) => {
    await expectLogits(name);
  });

  it.each(['by head', 'fused', 'plain'] as const)('with attention %s', async (attention) => {
    await expectLogits('S', { attention });
    await expectLogits('tanh approximation', { attention });
  });

  it.each(['T', 'S', 'one layer, one label'])(
    '%s, of sequences of all lengths in one padded batch',
    async (name) => {
      const { logits } = seededCase(name);
      const found = await paddedLogits(name, { attention: 'plain', padded: true });
      found.forEach((row, i) =>
        row.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(1e-4)),
      );
      await expectLogits(name, { attention: 'plain', padded: true });
    },
  );

  it.each([40, 256, Infinity])('with %d units of the feed-forward layers at a time', async (units) => {
    await expectLogits('S', {
      unitParts: unitsAtOnce(seededCase('S').config.intermediate, units),
    });
    await expectLogits('relu', {
      unitParts: unitsAtOnce(seededCase('relu').config.intermediate, units),
    });
  });

  it('within 5e-3 when weights are kept in 16 bits and products are of 32, as WebGPU gets them', async () => {
    await expectLogits('T', { kept: 'float16', attention: 'plain' }, 5e-3);
    await expectLogits('S', { kept: 'float16', attention: 'plain' }, 5e-3);
  });
});
