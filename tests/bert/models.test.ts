import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { findModel, listModels } from '../../src/bert/models.js';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import { temporaryFolder } from '../support/folders.js';

const models = temporaryFolder();

function addModel(name: string): string {
  const folder = join(models, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), '{}');
  return folder;
}

afterEach(() => vi.unstubAllEnvs());

describe('models are found', () => {
  it('by letter, in the folder that comes with the package', async () => {
    expect(await findModel('T')).toMatch(/models[\\/]tiny$/);
    expect(await findModel('S')).toMatch(/models[\\/]small$/);
  });

  it('first in the folder that BERT_QE_MODELS names', async () => {
    vi.stubEnv('BERT_QE_MODELS', models);
    const [tiny, medium, mine] = [addModel('tiny'), addModel('medium'), addModel('mine')];
    expect(await findModel('T')).toBe(tiny);
    expect(await findModel('M')).toBe(medium);
    expect(await findModel('mine')).toBe(mine);
    expect(await findModel('S')).toMatch(/small$/);
    expect([...(await listModels()).keys()]).toEqual(
      expect.arrayContaining(['tiny', 'medium', 'mine', 'small']),
    );
  });

  it('in the cache, where get puts them', async () => {
    vi.stubEnv('BERT_QE_CACHE', join(models, 'cache'));
    expect(await findModel('T')).toMatch(/tiny$/);
    expect(await findModel('L').catch((error: Error) => error.message)).toMatch(/No model "L"/);
    const large = addModel('cache/models/large');
    expect(await findModel('L')).toBe(large);
  });

  it('by path, which goes before a name', async () => {
    expect(await findModel(addModel('elsewhere'))).toBe(join(models, 'elsewhere'));
  });
});

describe('a model that is not there', () => {
  it('or not even named, as by load("T"): says how one is named', async () => {
    const mistake = 'T' as unknown as { model: string };
    await expect(BertScorer.load(mistake)).rejects.toThrow(/as in \{ model: 'T' \}, not "T"/);
  });

  it('by letter: says where it was looked for and how to get one', async () => {
    vi.stubEnv('BERT_QE_CACHE', join(models, 'empty'));
    await expect(findModel('B')).rejects.toThrow(
      /No model "B": none of .*base.*base exists\. Fetch one with: bert-qe models get ORG\/NAME --as B/,
    );
  });

  it('by a name like those on the hub: says to fetch it', async () => {
    await expect(findModel('cross-encoder/none')).rejects.toThrow(/bert-qe models get cross-encoder\/none/);
  });

  it('by a folder without a config: says so', async () => {
    mkdirSync(join(models, 'bare'), { recursive: true });
    await expect(findModel(join(models, 'bare'))).rejects.toThrow(/bare: holds no model/);
  });

  it('by another name: names those there are', async () => {
    await expect(findModel('huge')).rejects.toThrow(/No model "huge"\. Known are T, S, M, B, L, small, tiny/);
  });
});
