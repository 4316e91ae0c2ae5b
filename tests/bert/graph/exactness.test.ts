import { describe, expect, it } from 'vitest';
import { bertGraph } from '../../../src/bert/graph/index.js';
import { seededLogits, withSession } from './run-graph.js';
import { seededCase, seededWeights } from './seeded-model.js';

/** B and L are compared in tests/parity: they take gigabytes. */
const models = ['T', 'S', 'M', 'one layer, one label', 'tanh approximation', 'relu'];

describe('the graph gives the logits of Hugging Face transformers', () => {
  it.each(models)('%s', async (name) => {
    const { config, lengths, logits } = seededCase(name);
    await withSession(bertGraph(seededWeights(config)), async (session) => {
      for (const [i, length] of lengths.entries()) {
        for (const row of await seededLogits(session, config, length, 3)) {
          row.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(1e-4));
        }
      }
    });
  });
});
