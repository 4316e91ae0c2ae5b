import { describe, expect, it } from 'vitest';
import { bertGraph } from '../../src/bert/graph/index.js';
import { seededLogits, withSession } from '../bert/graph/run-graph.js';
import { seededCase, seededWeights } from '../bert/graph/seeded-model.js';

/**
 * BERT-Base and BERT-Large beside Hugging Face transformers. Writes up to 1.3 GB to the temporary folder:
 *
 *     npx vitest run --config tests/parity/vitest.config.ts tests/parity/bert-logits.test.ts
 */
describe('large models give the logits of Hugging Face transformers', () => {
  it.each(['B', 'L'])('%s', { timeout: 600_000 }, async (name) => {
    const { config, lengths, logits } = seededCase(name);
    let worst = 0;
    await withSession(bertGraph(seededWeights(config)), async (session) => {
      for (const [i, length] of lengths.entries()) {
        const [row] = await seededLogits(session, config, length);
        row.forEach((value, label) => (worst = Math.max(worst, Math.abs(value - logits[i][label]))));
      }
    });
    console.log(`${name}: largest difference ${worst.toExponential(1)}`);
    expect(worst).toBeLessThan(1e-4);
  });
});
