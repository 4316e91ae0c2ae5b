import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { toyModel } from '../training/toy-task.js';
import { rowsOf, runExperiment } from './run-experiment.js';
import { fakeModels } from './fake-model.js';
import { smallExperiment } from './small-experiment.js';

describe('an experiment with training', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const steps = [1, 2, 3].map((fold) => `train T, fold ${fold}`);

  test('fine-tunes in every fold and ranks with what came out', async () => {
    await toyModel(join(folder, 'base'), 'classifier');
    const { file } = smallExperiment(folder, {
      models: { T: './base' },
      training: { steps: 3, batch: 8, maxLength: 24, learningRate: 1e-3, candidates: 10 },
      variants: ['TTT'],
      baselines: ['DPH+KL', 'T'],
      retrieve: 20,
      depth: 5,
      ablations: undefined,
      grid: undefined,
    });
    const models = fakeModels();
    const { ran } = await runExperiment(file, { out, openModel: models.open });
    expect(ran.filter((step) => step.startsWith('train'))).toEqual(steps);
    const folders = readdirSync(join(out, 'work', 'models')).sort();
    expect(folders.map((name) => name.replace(/-\w+$/, ''))).toEqual(['T-fold1', 'T-fold2', 'T-fold3']);
    expect(readdirSync(join(out, 'work', 'models', folders[0])).sort()).toEqual([
      'config.json',
      'model.safetensors',
      'training.json',
      'vocab.txt',
    ]);
    // Folds whose weights came out the same share their scores.
    const isTrained = (path: string): boolean => path.startsWith(join(out, 'work', 'models'));
    expect(models.opened.filter(isTrained).length).toBeGreaterThan(0);
    const rows = rowsOf(out, 'training');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({ Model: 'T, fold 1', Queries: 4, Steps: 3 });
    expect(existsSync(join(out, 'figures/training-T-fold2.svg'))).toBe(true);
    expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('Training T, fold 3');

    expect((await runExperiment(file, { out, openModel: models.open })).ran).toEqual([]);
    rmSync(join(out, 'work', 'models', folders[1], 'model.safetensors'));
    const again = await runExperiment(file, { out, openModel: models.open });
    // Trained to the same bits, so that nothing after it has to run again.
    expect(again.ran).toEqual([steps[1]]);
  });

  test('names the fold that has nothing to learn from', async () => {
    const small = smallExperiment(join(folder, 'other'), {
      models: { T: join(folder, 'base') },
      training: { steps: 3, maxLength: 24, depth: 1 },
      variants: ['TTT'],
      baselines: ['DPH+KL', 'T'],
      retrieve: 20,
      depth: 5,
      ablations: undefined,
      grid: undefined,
    });
    const judged = readFileSync(small.qrels, 'utf8').split('\n').filter(Boolean);
    writeFileSync(small.qrels, judged.map((line) => line.replace(/\d+$/, '0')).join('\n'));
    await expect(
      runExperiment(small.file, { out: join(folder, 'nothing'), openModel: fakeModels().open }),
    ).rejects.toThrow(/^fold 1: none of the \d+ candidates of its \d+ training queries is judged relevant/);
  });
});
