import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenModel } from '../../src/experiment/index.js';
import { temporaryFolder } from '../support/folders.js';
import { toyModel } from '../training/toy-task.js';
import { runExperiment } from './run-experiment.js';
import { fakeModels } from './fake-model.js';
import { smallExperiment, type SmallExperiment } from './small-experiment.js';
import { runChild } from './run-child.js';

const training = {
  on: 'chunks',
  loss: 'listwise',
  groupSize: 4,
  negatives: 3,
  steps: 2,
  batch: 8,
  maxLength: 24,
  learningRate: 1e-3,
};

const { negatives: _, ...shared } = training;
const residual = { ...shared, loss: 'residual', lossAlpha: 0.4 };

/** An experiment on few candidates whose models are toys. */
async function toyExperiment(folder: string, settings: Record<string, unknown>): Promise<SmallExperiment> {
  await toyModel(join(folder, 'base'), 'classifier');
  return smallExperiment(folder, {
    models: { T: './base', S: './models/s' },
    training,
    baselines: ['DPH+KL', 'MaxP'],
    retrieve: 20,
    depth: 8,
    ablations: undefined,
    grid: undefined,
    ...settings,
  });
}

/** Models that write down the first texts they are asked about, by folder. */
function listening(): { open: OpenModel; first: Map<string, Set<string>> } {
  const first = new Map<string, Set<string>>();
  const { open } = fakeModels();
  return {
    first,
    open: async (folder, settings) => {
      const scorer = await open(folder, settings);
      const texts = new Set<string>();
      first.set(folder, texts);
      return {
        score: (pairs, options) => {
          for (const { a } of pairs) texts.add(a);
          return scorer.score(pairs, options);
        },
        close: () => scorer.close(),
      };
    },
  };
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

const trainings = (ran: readonly string[]): string[] => ran.filter((step) => step.startsWith('train'));

describe('an experiment that trains phase three on chunks', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const steps = ['TTT', 'SST'].flatMap((variant) =>
    [1, 2, 3, 4, 5].map((fold) => `train BERT-QE-${variant}-phase3, fold ${fold}`),
  );

  test('leaves phases one and two and MaxP as they are', async () => {
    const settings = { variants: ['TTT', 'SST'], folds: { roundRobin: 5 } };
    const small = await toyExperiment(folder, settings);
    const { open, first } = listening();
    const { ran } = await runExperiment(small.file, { out, openModel: open });
    expect(trainings(ran)).toEqual(steps);

    const queries = new Set(lines(small.queries).map((line) => (JSON.parse(line) as { text: string }).text));
    const isQuery = (text: string): boolean => queries.has(text);
    const trained = readdirSync(join(out, 'work', 'models')).map((name) => join(out, 'work', 'models', name));
    expect(trained).toHaveLength(10);
    for (const [model, texts] of first) {
      const own = trained.includes(model);
      expect(own || model === join(folder, 'base') || model === small.models.S, model).toBe(true);
      expect([...texts].some(isQuery), model).toBe(!own);
      expect([...texts].every(isQuery), model).toBe(!own);
    }
    // Folds and variants whose weights came out the same share their scores.
    expect(trained.some((model) => first.has(model))).toBe(true);

    small.write({
      ...settings,
      models: { T: './base', S: './models/s' },
      baselines: ['DPH+KL', 'MaxP'],
      retrieve: 20,
      depth: 8,
      ablations: undefined,
      grid: undefined,
    });
    const untrained = join(folder, 'untrained');
    await runExperiment(small.file, { out: untrained, openModel: fakeModels().open });
    for (const run of ['BERT-Tiny.run', 'BERT-Small.run']) {
      expect(readFileSync(join(out, 'runs', run), 'utf8')).toBe(
        readFileSync(join(untrained, 'runs', run), 'utf8'),
      );
    }
    await toyExperiment(folder, settings);
  });

  test('says in its report what was trained on and what validated', () => {
    const { rows, notes } = JSON.parse(readFileSync(join(out, 'tables/training.json'), 'utf8')) as {
      rows: Record<string, number | string>[];
      notes: string[];
    };
    expect(rows).toHaveLength(10);
    expect(rows[5]).toMatchObject({ Model: 'BERT-QE-SST-phase3, fold 1', Pairs: 'chunk, passage', Steps: 2 });
    expect(rows[5]['Queries']).toBeGreaterThan(4);
    expect(notes.join(' ')).toContain('ranked by rel(C,d) alone');
    expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('in every fold, phase three on chunks');
  });

  test('has nothing to do again, and trains again only what was lost', async () => {
    const { file } = await toyExperiment(folder, { variants: ['TTT', 'SST'], folds: { roundRobin: 5 } });
    expect((await runExperiment(file, { out, openModel: fakeModels().open })).ran).toEqual([]);
    const lost = readdirSync(join(out, 'work', 'models')).find((name) => name.includes('SST-phase3-fold2'))!;
    rmSync(join(out, 'work', 'models', lost, 'model.safetensors'));
    const again = await runExperiment(file, { out, openModel: fakeModels().open });
    expect(again.ran).toEqual(['train BERT-QE-SST-phase3, fold 2']);
  });

  test("uses no judgement of a fold's test queries in its training", async () => {
    const other = join(folder, 'judged');
    const small = await toyExperiment(other, { variants: ['TTT'] });
    await runExperiment(small.file, { out: join(other, 'out'), openModel: fakeModels().open });
    // Dealt in turn: every third query is tested in the first fold.
    const ids = lines(small.queries).map((line) => (JSON.parse(line) as { _id: string })._id);
    const tested = new Set(ids.filter((_, i) => i % 3 === 0));
    const changed = lines(small.qrels).map((line) => {
      const [query, zero, document, level] = line.split(/\s+/);
      return tested.has(query) ? `${query} ${zero} ${document} ${level === '0' ? 1 : 0}` : line;
    });
    writeFileSync(small.qrels, `${changed.join('\n')}\n`);
    const { ran } = await runExperiment(small.file, {
      out: join(other, 'out'),
      openModel: fakeModels().open,
    });
    expect(trainings(ran)).toEqual([2, 3].map((fold) => `train BERT-QE-TTT-phase3, fold ${fold}`));
  });

  test('does not mix with training on queries', async () => {
    const other = join(folder, 'mixed');
    const small = await toyExperiment(other, { variants: ['TTT'] });
    const table = (): string => readFileSync(join(other, 'out', 'tables', 'main.csv'), 'utf8');
    const go = async () =>
      runExperiment(small.file, { out: join(other, 'out'), openModel: fakeModels().open });
    await go();
    const before = table();
    await toyExperiment(other, { variants: ['TTT'], training: { ...training, on: 'queries' } });
    const { ran } = await go();
    expect(trainings(ran)).toEqual([1, 2, 3].map((fold) => `train T, fold ${fold}`));
    await toyExperiment(other, { variants: ['TTT'] });
    await go();
    expect(table()).toBe(before);
    expect(readdirSync(join(other, 'out', 'work', 'models'))).toHaveLength(6);
  });

  test.each([
    ['listwise', training],
    ['residual', residual],
  ])('by the %s loss goes on after kill -9, validated by the α and β given', async (loss, options) => {
    const other = join(folder, `killed-${loss}`);
    const small = await toyExperiment(other, {
      variants: ['STT'],
      tuning: { alphas: [0.15], betas: [0.95] },
      training: options,
    });
    // Folders of equally long names: by them the models that stand in here are told apart.
    const whole = await runChild(small.file, join(other, 'whole'));
    expect(whole.code).toBe(0);
    const killed = await runChild(small.file, join(other, 'again'), {
      signal: 'SIGKILL',
      at: 'train BERT-QE-STT-phase3, fold 2: 1',
    });
    expect(killed.signal).toBe('SIGKILL');
    const resumed = await runChild(small.file, join(other, 'again'));
    expect(resumed.code).toBe(0);
    expect(resumed.lines.some((line) => line.startsWith('train BERT-QE-STT-phase3, fold 1'))).toBe(false);
    for (const file of ['tables/main.csv', 'tables/training.csv', 'runs/BERT-QE-STT.run', 'report.md']) {
      const [expected, found] = ['whole', 'again'].map((name) =>
        readFileSync(join(other, name, file), 'utf8'),
      );
      expect(found, file).toBe(expected);
    }
    expect(readFileSync(join(other, 'again', 'report.md'), 'utf8')).toContain(
      'ranked by the final score with α = 0.15 and β = 0.95',
    );
  });
});
