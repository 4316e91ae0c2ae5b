import { describe, expect, it } from 'vitest';
import { type Arithmetic, bertGraph } from '../../../src/bert/graph/index.js';
import { seededLogits, withSession } from './run-graph.js';
import { seededCase, seededWeights } from './seeded-model.js';

async function expectLogits(name: string, arithmetic?: Arithmetic, tolerance = 1e-4): Promise<void> {
  const { config, lengths, logits } = seededCase(name);
  await withSession(bertGraph(seededWeights(config), arithmetic), async (session) => {
    for (const [i, length] of lengths.entries()) {
      for (const row of await seededLogits(session, config, length, 3)) {
        row.forEach((value, label) => expect(Math.abs(value - logits[i][label])).toBeLessThan(tolerance));
      }
    }
  });
}

/** B and L are compared in tests/parity, where all sizes are read from each checkpoint format. */
describe('the graph gives the logits of Hugging Face transformers', () => {
  const models = ['T', 'S', 'M', 'one layer, one label', 'tanh approximation', 'relu'];
  it.each(models)('%s', { timeout: 600_000 }, async (name) => {
    await expectLogits(name);
  });

  it.each(['by head', 'fused', 'plain'] as const)('with attention %s', async (attention) => {
    await expectLogits('S', { float: 'float32', attention });
    await expectLogits('tanh approximation', { float: 'float32', attention });
  });

  it('within 5e-3 when weights and activations are rounded to 16 bits', async () => {
    await expectLogits('T', { float: 'float16', attention: 'plain' }, 5e-3);
    await expectLogits('S', { float: 'float16', attention: 'plain' }, 5e-3);
  });

  it('within 5e-3 with products in 16 bits cut into short sums, as WebGPU gets them', async () => {
    await expectLogits('T', { float: 'float16', attention: 'plain', terms: 64 }, 5e-3);
    await expectLogits('S', { float: 'float16', attention: 'plain', terms: 64 }, 5e-3);
  });
});
