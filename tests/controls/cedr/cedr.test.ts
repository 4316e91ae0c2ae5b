import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cedr, trainCedr } from '../../../src/controls/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { expectSameFiles, stoppedAfter } from '../../support/stopped-training.js';
import { candidatesOf, expectStrangeTextsRanked, inputs, queries } from '../notes.js';

const options = { steps: 6, batch: 3, validateEvery: 3, depth: 12, threads: 1, learningRate: 1e-4 };
const folder = temporaryFolder();
let cedr: Cedr;

beforeAll(async () => {
  await trainCedr('T', inputs, options, { out: join(folder, 'cedr') });
  cedr = await Cedr.load({ model: join(folder, 'cedr') });
});
afterAll(() => cedr.close());

describe('training CEDR-KNRM', () => {
  test('keeps the best weights and tells how they came about', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'cedr', 'training.json'), 'utf8')) as {
      steps: number;
      configuration: Record<string, unknown>;
      history: { steps: unknown[]; validations: unknown[] };
    };
    expect(manifest.steps).toBe(6);
    expect(manifest.history.steps).toHaveLength(6);
    expect(manifest.history.validations).toHaveLength(3);
    expect(manifest.configuration).toMatchObject({ method: 'cedr-knrm', headRate: 1e-3, queryTokens: 20 });
  });

  test('goes on where it was stopped, and ends with the same bytes', async () => {
    const out = join(folder, 'stopped');
    const stopped = trainCedr('T', inputs, options, { out, ...stoppedAfter(4) });
    await expect(stopped).rejects.toThrow('The training was stopped after step 4; it can be resumed.');
    await expect(trainCedr('T', inputs, options, { out })).rejects.toThrow('not finished; resume it');
    await expect(
      trainCedr('T', inputs, { ...options, headRate: 0.5 }, { out, resume: true }),
    ).rejects.toThrow('headRate (0.001, now 0.5)');
    await trainCedr('T', inputs, options, { out, resume: true });
    await expectSameFiles(out, join(folder, 'cedr'));
  });

  test('refuses what gives nothing to learn', async () => {
    const call = { out: join(folder, 'none') };
    await expect(trainCedr('T', { ...inputs, qrels: new Map() }, options, call)).rejects.toThrow(
      'none of the 6 training queries has both a relevant and another candidate',
    );
    await expect(trainCedr('T', { ...inputs, validationQueries: queries }, options, call)).rejects.toThrow(
      'Query "q0" is to be trained on and validated with',
    );
    await expect(trainCedr('T', inputs, { ...options, batch: 0 }, call)).rejects.toThrow(
      'batch must be a whole number from 1 to 1000000, not 0',
    );
    await expect(trainCedr('T', inputs, { ...options, lengths: { maxLength: 600 } }, call)).rejects.toThrow(
      'it has 512 positions',
    );
    const gone = { ...inputs, documents: { get: async () => new Map() } };
    await expect(trainCedr('T', gone, options, call)).rejects.toThrow('is not in the collection');
  });
});

describe('re-ranking with CEDR-KNRM', () => {
  test('orders by the scores, which do not depend on the other documents', async () => {
    const given = candidatesOf('q1');
    const { results, explanation, cost } = await cedr.rerank('about heron', given, { explain: true });
    expect(results).toHaveLength(given.length);
    expect(cost).toMatchObject({ pairs: 12, exhaustivePairs: 12 });
    expect(cost.flops).toBeGreaterThan(0);
    const scores = explanation!.documents.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const { id, score } of explanation!.documents) {
      const alone = await cedr.scores('about heron', [given.find((one) => one.id === id)!]);
      expect(Math.abs(alone.candidates[0]!.score - score)).toBeLessThan(1e-4 * Math.max(1, Math.abs(score)));
    }
  });

  test('takes empty and long documents, short and strange queries', () => expectStrangeTextsRanked(cedr));

  test('mixes the initial score in, keeps the order below the depth, and stops', async () => {
    const given = candidatesOf('q2');
    const model = join(folder, 'cedr');
    const mixed = await Cedr.load({ model, share: 0, depth: 5, threads: 1 });
    try {
      const { results } = await mixed.rerank('about violin', given);
      expect(results.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
      const first = await mixed.rerank('about violin', given, { topK: 2 });
      expect(first.results).toEqual(results.slice(0, 2));
      await expect(
        mixed.rerank('about violin', given, { signal: AbortSignal.abort() }),
      ).rejects.toMatchObject({ code: 'aborted' });
    } finally {
      await mixed.close();
    }
    await expect(Cedr.load({ model, share: 2 })).rejects.toThrow('share must lie between 0 and 1');
    await expect(Cedr.load({ model, depht: 2 } as never)).rejects.toThrow('did you mean depth?');
  });

  test('refuses folders that hold no such model, and damaged ones', async () => {
    await expect(Cedr.load({ model: folder })).rejects.toThrow(
      'make one with bert-qe train --method cedr-knrm',
    );
    await expect(Cedr.load({ model: 'models/tiny' })).rejects.toThrow('holds no model of cedr-knrm');
    const broken = join(folder, 'stopped', 'config.json');
    await writeFile(broken, '{');
    await expect(Cedr.load({ model: join(folder, 'stopped') })).rejects.toThrow('is not JSON');
  });
});
