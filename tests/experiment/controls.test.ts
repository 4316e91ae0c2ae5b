import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRun } from '../../src/collection/index.js';
import { temporaryFolder } from '../support/folders.js';
import { rowsOf, runExperiment } from './run-experiment.js';
import { smallExperiment } from './small-experiment.js';

const settings = {
  models: { T: 'T' },
  variants: ['TTT'],
  depth: 8,
  method: { kd: 2, kc: 2 },
  ablations: undefined,
  grid: undefined,
  baselines: ['DPH+KL', 'T', 'Birch-T', 'CEDR-KNRM-T', 'NPRF-DRMM', 'SNRM', 'SNRM+PRF'],
  controls: {
    'CEDR-KNRM': { steps: 2, batch: 2, headRate: 0.01 },
    'NPRF-DRMM': { steps: 20 },
    SNRM: { steps: 5, latentTerms: 500, weakQueries: 100 },
  },
};

const controlNames = ['Birch-T', 'CEDR-KNRM-T', 'NPRF-DRMM', 'SNRM', 'SNRM+PRF'];

test('controls are trained and tuned fold by fold, have rows in every table, and are done once', async () => {
  const folder = temporaryFolder();
  const { file } = smallExperiment(folder, settings);
  const out = join(folder, 'out');
  const { results, ran } = await runExperiment(file, { out });
  expect(ran).toEqual(
    expect.arrayContaining(['run Birch-T', 'train CEDR-KNRM-T, fold 3', 'run CEDR-KNRM-T', 'run SNRM+PRF']),
  );
  // SNRM needs no judgements: all folds and both of its rows have one model.
  expect(ran.filter((name) => name.startsWith('train SNRM'))).toEqual(['train SNRM']);
  for (const name of controlNames) {
    const [main, cost, weights] = ['main', 'variants', 'interpolation'].map((each) =>
      rowsOf(out, each).find(({ Model }) => Model === name)!,
    );
    expect(main['nDCG@20']).toBeGreaterThan(0);
    expect(cost['GFLOPs as run']).toBeGreaterThan(0);
    expect(cost.FLOPs).toBeNull();
    expect(String(weights['Fold 1'])).toMatch(
      ['Birch-T', 'SNRM+PRF'].includes(name) ? /^[\d.]+ \/ [\d.]+ \/ [\d.]+$/ : /^([\d.]+|–)$/,
    );
    // Every query is ranked, with the documents below the depth; SNRM ranks what it finds.
    const run = await readRun(join(out, 'runs', `${name}.run`));
    if (name.startsWith('SNRM')) {
      expect(run.size).toBeGreaterThan(0);
      continue;
    }
    expect(run.size).toBe(12);
    for (const ranking of run.values()) expect(ranking).toHaveLength(50);
  }
  // They are tested like other re-rankers.
  expect(results.comparisons.map(({ run }) => run)).toEqual(expect.arrayContaining(controlNames));
  expect((await runExperiment(file, { out })).ran).toEqual([]);
});

test("a control's models can be given, fold by fold", async () => {
  const folder = temporaryFolder();
  const { file, write } = smallExperiment(folder, { ...settings, baselines: ['T', 'CEDR-KNRM-T'] });
  const out = join(folder, 'out');
  await runExperiment(file, { out });
  const trained = readdirSync(join(out, 'work', 'models'));
  const fold = (number: string): string => trained.find((name) => name.includes(`fold${number}`))!;
  // The same model for every fold, by a name with the number of the fold.
  for (const number of ['1', '2', '3']) {
    const path = join(out, 'work', 'models', fold(number));
    expect(existsSync(join(path, 'model.safetensors'))).toBe(true);
  }
  const model = join(out, 'work', 'models', fold('1'));
  write({ ...settings, baselines: ['T', 'CEDR-KNRM-T'], controls: { 'CEDR-KNRM': { model } } });
  const again = await runExperiment(file, { out: join(folder, 'given') });
  expect(again.ran.filter((name) => name.startsWith('train'))).toEqual([]);
  expect(existsSync(join(folder, 'given', 'runs', 'CEDR-KNRM-T.run'))).toBe(true);
  write({ ...settings, controls: { 'CEDR-KNRM': { model: './nowhere' } } });
  await expect(runExperiment(file, { out: join(folder, 'none') })).rejects.toThrow('nowhere');
  writeFileSync(file, readFileSync(file, 'utf8').replace('CEDR-KNRM-T', 'CEDR-T'));
  await expect(runExperiment(file, { out: join(folder, 'wrong') })).rejects.toThrow(
    '"CEDR-T" is not a baseline',
  );
});
