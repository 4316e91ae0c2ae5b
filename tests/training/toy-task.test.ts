import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BertScorer } from '../../src/bert/index.js';
import { trainModel } from '../../src/training/index.js';
import { temporaryFolder } from '../support/folders.js';
import { toyCollection, toyModel } from './toy-task.js';

test(
  'a model learns which words mean the same, and scores pairs it has not seen',
  { timeout: 600_000 },
  async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'trained');
    const manifest = await trainModel(
      { model: await toyModel(join(folder, 'base')), ...toyCollection('training', 600), documentsKey: 'toy' },
      { steps: 250, learningRate: 5e-4, negatives: 1, maxLength: 24, dropout: 0 },
      { out },
    );
    expect(manifest.examples).toEqual({ queries: 600, relevant: 1200, others: 1200 });
    expect(manifest.history.steps.at(-1)!.loss).toBeLessThan(manifest.history.steps[0].loss / 4);

    const held = toyCollection('held out', 60, 8, true);
    const scorer = await BertScorer.load({ model: out, device: 'cpu', maxLength: 24 });
    try {
      let right = 0;
      let total = 0;
      for (const query of held.queries) {
        const ranking = held.run.get(query.id)!;
        const scores = await scorer.score(
          ranking.map(({ id }) => ({ a: query.text, b: held.texts.get(id)! })),
        );
        for (const [i, { id }] of ranking.entries()) {
          total++;
          if (scores[i] > 0.5 === held.qrels.get(query.id)!.has(id)) right++;
        }
      }
      expect(total).toBe(480);
      expect(right / total).toBeGreaterThan(0.95);
    } finally {
      await scorer.close();
    }
  },
);
