import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkBareModel, completeModel, hashModel, isBareModel } from '../../../src/bert/index.js';
import { bertWeights, openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { readModelConfig } from '../../../src/bert/model-folder.js';
import {
  checkpointFiles,
  googleConfig,
  tinyConfig,
  vocabularyText,
  writeArchive,
  writeFiles,
} from '../../support/authors-model.js';
import { temporaryFolder } from '../../support/folders.js';
import { seededWeights } from '../graph/seeded-model.js';

const config = tinyConfig(8);

/** `BERT-Tiny-Robust04` as the authors give it out, and the general model with its vocabulary. */
async function authorsFolder() {
  const folder = temporaryFolder();
  const root = join(folder, 'BERT-Tiny-Robust04');
  const general = join(folder, 'general');
  const archive = join(root, 'fold-1.zip');
  writeArchive(archive, 'fold-1', await checkpointFiles(config, 9375));
  writeFiles(root, { 'bert_config.json': googleConfig(config) });
  writeFiles(general, { 'vocab.txt': vocabularyText, 'bert_config.json': googleConfig(config) });
  return { folder, root, general, archive, into: join(folder, 'work') };
}

async function weightsOf(folder: string) {
  const checkpoint = await openCheckpoint(folder);
  try {
    const weights = bertWeights(checkpoint, await readModelConfig(folder));
    const values = new Map<string, Float32Array>();
    for (const name of weights.shapes.keys()) values.set(name, await weights.get(name));
    return values;
  } finally {
    await checkpoint.close();
  }
}

describe('a model that the authors gave out', () => {
  test('is taken from its archive, with the configuration and the vocabulary of others', async () => {
    const { root, general, archive, into } = await authorsFolder();
    expect(await isBareModel(archive)).toBe(true);
    const model = { path: archive, otherPlaces: [root, general] };
    await checkBareModel(model);
    expect(existsSync(into)).toBe(false);
    const made = await completeModel(model, into, undefined);
    expect(readdirSync(made).toSorted()).toEqual(['config.json', 'model.safetensors', 'vocab.txt']);
    const expected = seededWeights(config);
    for (const [name, values] of await weightsOf(made))
      expect(values, name).toEqual(await expected.get(name));
    // Google's code computes GELU by tanh, whatever its configuration calls it.
    expect((await readModelConfig(made)).activation).toBe('gelu_new');
    expect(readdirSync(into)).toEqual([made.slice(into.length + 1)]);
  });

  test('is unpacked once, and again when the archive changed or the first time was cut short', async () => {
    const { root, general, archive, into } = await authorsFolder();
    const model = { path: archive, otherPlaces: [root, general] };
    const made = await completeModel(model, into, undefined);
    writeFileSync(join(made, 'touched'), '');
    expect(await completeModel(model, into, undefined)).toBe(made);
    expect(existsSync(join(made, 'touched'))).toBe(true);
    const hash = await hashModel(made);
    rmSync(join(made, 'config.json'));
    expect(await completeModel(model, into, undefined)).toBe(made);
    expect(existsSync(join(made, 'touched'))).toBe(false);
    rmSync(join(made, 'touched'), { force: true });
    expect(await hashModel(made)).not.toBe(hash);
    writeArchive(archive, 'fold-1', await checkpointFiles(config, 9376));
    expect(await completeModel(model, into, undefined)).not.toBe(made);
  });

  test('is taken from a folder that it was unpacked into, which stays as it is', async () => {
    const { folder, root, general, into } = await authorsFolder();
    const unpacked = join(folder, 'fold-1');
    const files = await checkpointFiles(config, 9375);
    writeFiles(unpacked, {
      ...files,
      ...(await checkpointFiles(config, 8000)),
      checkpoint: files.checkpoint!,
    });
    expect(await isBareModel(unpacked)).toBe(true);
    const before = readdirSync(unpacked);
    const made = await completeModel({ path: unpacked, otherPlaces: [root, general] }, into, undefined);
    expect(readdirSync(made).toSorted()).toEqual(['config.json', 'model.safetensors', 'vocab.txt']);
    expect(readdirSync(unpacked)).toEqual(before);
    expect(await isBareModel(made)).toBe(false);
  });

  test('is refused with the part that is missing', async () => {
    const { root, general, archive, folder } = await authorsFolder();
    rmSync(join(general, 'vocab.txt'));
    await expect(checkBareModel({ path: archive, otherPlaces: [root, general] })).rejects.toThrow(
      `${archive}: there is no vocab.txt or tokenizer.json in it, nor in ${root}, ${general}. Put one beside it.`,
    );
    await expect(checkBareModel({ path: archive, otherPlaces: [] })).rejects.toThrow(
      `${archive}: there is no config.json or bert_config.json in it. Put one beside it.`,
    );
    const other = join(folder, 'notes.zip');
    writeArchive(other, 'a', { 'notes.txt': Buffer.from('hello') });
    await expect(checkBareModel({ path: other, otherPlaces: [] })).rejects.toThrow(
      'there is no checkpoint in it',
    );
    const both = join(folder, 'both.zip');
    const files = await checkpointFiles(config, 1);
    writeArchive(both, '.', {
      ...Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`fold-1/${name}`, bytes])),
      ...Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`fold-2/${name}`, bytes])),
    });
    await expect(checkBareModel({ path: both, otherPlaces: [] })).rejects.toThrow(
      'unpack it and name one folder',
    );
    const cut = join(folder, 'cut.zip');
    writeFileSync(cut, readFileSync(archive).subarray(0, 3000));
    await expect(checkBareModel({ path: cut, otherPlaces: [] })).rejects.toThrow(cut);
  });
});
