import { existsSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Nprf, trainNprf } from '../../../src/controls/index.js';
import type { Index } from '../../../src/retrieval/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { expectSameFiles, stoppedAfter } from '../../support/stopped-training.js';
import { candidatesOf, documents, expectStrangeTextsRanked, indexOf, inputs } from '../notes.js';

const folder = temporaryFolder();
const options = {
  steps: 40,
  batch: 4,
  validateEvery: 20,
  depth: 12,
  threads: 1,
  vectors: { dimensions: 8, minimumCount: 2, epochs: 2 },
};
const { documents: _, documentsKey: __, ...ofRun } = inputs;
let index: Index;
let nprf: Nprf;

beforeAll(async () => {
  index = await indexOf(join(folder, 'index'), documents);
  await trainNprf({ ...ofRun, index }, options, { out: join(folder, 'nprf') });
  nprf = await Nprf.load({ model: join(folder, 'nprf') });
});
afterAll(async () => {
  await nprf.close();
  await index.close();
});

describe('training NPRF-DRMM', () => {
  test('stores word vectors with the data of the index, and uses them again', async () => {
    const data = join(folder, 'index', index.manifest.data);
    const stored = (await readdir(data)).filter((name) => name.startsWith('word-vectors-'));
    expect(stored).toHaveLength(1);
    const trained: number[] = [];
    const onVectors = (done: number): number => trained.push(done);
    await trainNprf({ ...ofRun, index }, options, { out: join(folder, 'again'), onVectors });
    expect(trained).toEqual([]);
    const files = ['model.safetensors', 'word-vectors.safetensors', 'terms.json'];
    await expectSameFiles(join(folder, 'nprf'), join(folder, 'again'), files);
    // Other settings have other vectors.
    const vectors = { ...options.vectors, dimensions: 4 };
    await trainNprf({ ...ofRun, index }, { ...options, vectors }, { out: join(folder, 'other') });
    expect((await readdir(data)).filter((name) => name.startsWith('word-vectors-'))).toHaveLength(2);
  });

  test('goes on where it was stopped, and ends with the same bytes', async () => {
    const out = join(folder, 'stopped');
    const stopped = trainNprf({ ...ofRun, index }, options, { out, ...stoppedAfter(25) });
    await expect(stopped).rejects.toThrow('stopped after step 25');
    await trainNprf({ ...ofRun, index }, options, { out, resume: true });
    await expectSameFiles(out, join(folder, 'nprf'));
  });

  test.skipIf(process.getuid?.() === 0)('works with an index that cannot be written to', async () => {
    const data = join(folder, 'index', index.manifest.data);
    for (const name of await readdir(data)) {
      if (name.startsWith('word-vectors-')) await rm(join(data, name));
    }
    await chmod(data, 0o500);
    try {
      await trainNprf({ ...ofRun, index }, options, { out: join(folder, 'read-only') });
      expect(existsSync(join(folder, 'read-only', 'config.json'))).toBe(true);
    } finally {
      await chmod(data, 0o700);
    }
  });
});

describe('re-ranking with NPRF-DRMM', () => {
  test('ranks documents that are like the first ones higher, and counts the cost', async () => {
    const given = candidatesOf('q3');
    const { results, cost, explanation } = await nprf.rerank('about glacier', given, { explain: true });
    expect(results.map(({ id }) => id).sort()).toEqual(given.map(({ id }) => id).sort());
    expect(cost).toMatchObject({ pairs: 12, tokens: 0 });
    expect(cost.flops).toBeGreaterThan(1e5);
    expect(explanation!.method).toBe('NPRF-DRMM');
    const again = await nprf.rerank('about glacier', given);
    expect(again.results).toEqual(results);
  });

  test('takes empty and long documents, short queries, unknown words and few documents', async () => {
    await expectStrangeTextsRanked(nprf);
    expect((await nprf.rerank('granite', [{ text: 'unknownword', score: 3 }])).results).toHaveLength(1);
  });

  test('refuses models of another method, and damaged ones', async () => {
    await expect(Nprf.load({ model: 'models/tiny' })).rejects.toThrow('holds no model of nprf-drmm');
    await rm(join(folder, 'other', 'terms.json'));
    await expect(Nprf.load({ model: join(folder, 'other') })).rejects.toThrow('terms.json cannot be read');
  });
});
