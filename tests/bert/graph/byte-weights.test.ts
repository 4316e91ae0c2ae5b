import { expect, test } from 'vitest';
import { bertGraph, byteWeightProducts } from '../../../src/bert/graph/index.js';
import type { ModelConfig } from '../../../src/bert/config.js';
import { seededLogits, withSession } from './run-graph.js';
import { seededCase, seededWeights } from './seeded-model.js';

const padded = { attention: 'plain', padded: true, unitsAtOnce: Infinity } as const;

async function logitsOf(config: ModelConfig, hasBytes: boolean, length: number): Promise<number[]> {
  const graph = bertGraph(seededWeights(config), {
    ...padded,
    ...(hasBytes && { products: byteWeightProducts }),
  });
  const [logits] = await withSession(graph, (session) => seededLogits(session, config, length));
  return logits;
}

test.each(['T', 'S'])('weights of 8 bits give nearly the logits of 32 bits: %s', async (name) => {
  const { config, lengths, logits } = seededCase(name);
  for (const [i, length] of lengths.entries()) {
    if (length > 150) continue;
    const found = await logitsOf(config, true, length);
    expect(found).not.toEqual(logits[i]);
    found.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(0.03));
  }
});

test('layers of an odd width keep their floats', async () => {
  const { config } = seededCase('T');
  const odd = { ...config, intermediate: 200 };
  const [bytes, floats] = [await logitsOf(odd, true, 17), await logitsOf(odd, false, 17)];
  bytes.forEach((value, label) => expect(Math.abs(value - floats[label])).toBeLessThan(0.03));
});
