import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Nprf, trainNprf } from '../../../src/controls/index.js';
import { buildIndex, createAnalyzer, Index } from '../../../src/retrieval/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { documents, inputs, long, run } from '../notes.js';

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
  const collection = (async function* () {
    yield* documents;
  })();
  await buildIndex(collection, {
    folder: join(folder, 'index'),
    analyzer: createAnalyzer({ base: 'terrier' }),
  });
  index = Index.open(join(folder, 'index'));
  await trainNprf({ ...ofRun, index }, options, { out: join(folder, 'nprf') });
  nprf = await Nprf.load({ model: join(folder, 'nprf') });
});
afterAll(async () => {
  await nprf.close();
  await index.close();
});

const candidatesOf = (query: string) =>
  run.get(query)!.map(({ id, score }) => ({ ...documents.find((one) => one.id === id)!, score }));

describe('training NPRF-DRMM', () => {
  test('stores word vectors with the data of the index, and uses them again', async () => {
    const data = join(folder, 'index', index.manifest.data);
    const stored = (await readdir(data)).filter((name) => name.startsWith('word-vectors-'));
    expect(stored).toHaveLength(1);
    const trained: number[] = [];
    const onVectors = (done: number): number => trained.push(done);
    await trainNprf({ ...ofRun, index }, options, { out: join(folder, 'again'), onVectors });
    expect(trained).toEqual([]);
    for (const name of ['model.safetensors', 'word-vectors.safetensors', 'terms.json']) {
      const [first, second] = await Promise.all(
        ['nprf', 'again'].map((each) => readFile(join(folder, each, name))),
      );
      expect(first.equals(second), name).toBe(true);
    }
    // Other settings have other vectors.
    const vectors = { ...options.vectors, dimensions: 4 };
    await trainNprf({ ...ofRun, index }, { ...options, vectors }, { out: join(folder, 'other') });
    expect((await readdir(data)).filter((name) => name.startsWith('word-vectors-'))).toHaveLength(2);
  });

  test('goes on where it was stopped, and ends with the same bytes', async () => {
    const out = join(folder, 'stopped');
    const controller = new AbortController();
    const stopped = trainNprf({ ...ofRun, index }, options, {
      out,
      signal: controller.signal,
      onProgress: ({ step }) => {
        if (step === 25) controller.abort();
      },
    });
    await expect(stopped).rejects.toThrow('stopped after step 25');
    await trainNprf({ ...ofRun, index }, options, { out, resume: true });
    const weights = (name: string) => readFile(join(folder, name, 'model.safetensors'));
    expect((await weights('stopped')).equals(await weights('nprf'))).toBe(true);
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
    const given = ['', '   ', long, 'Granite is hard.', '\u{1F9F2} qqq zzz', 'granite '.repeat(5000)];
    for (const query of ['granite', '\u{1F9F2}', long]) {
      const { results } = await nprf.rerank(query, given);
      expect(results.map(({ index: place }) => place).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      for (const { score } of results) expect(Number.isFinite(score)).toBe(true);
      expect((await nprf.rerank(query, [])).results).toEqual([]);
      expect((await nprf.rerank(query, [''])).results).toHaveLength(1);
      expect((await nprf.rerank(query, [{ text: 'unknownword', score: 3 }])).results).toHaveLength(1);
    }
    await expect(nprf.rerank('  ', given)).rejects.toThrow('the query is empty');
  });

  test('refuses models of another method, and damaged ones', async () => {
    await expect(Nprf.load({ model: 'models/tiny' })).rejects.toThrow('holds no model of nprf-drmm');
    await rm(join(folder, 'other', 'terms.json'));
    await expect(Nprf.load({ model: join(folder, 'other') })).rejects.toThrow('terms.json cannot be read');
  });
});
