import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSafetensors } from '../../src/bert/checkpoint/index.js';
import { formatModelConfig, type ModelConfig } from '../../src/bert/config.js';
import { type SizeLetter } from '../../src/bert/sizes.js';
import { findModel } from '../../src/bert/models.js';
import { randomWeights, sizeConfig } from './gpu/random-weights.js';
import { root } from './workload.js';

/** The model that ships, or one of random weights (to be removed by the caller). */
export async function modelFolder(size: SizeLetter): Promise<{ folder: string; trained: boolean }> {
  const shipped = await findModel(size).catch(() => undefined);
  if (shipped !== undefined) return { folder: shipped, trained: true };
  return { folder: await randomModelFolder(sizeConfig(size)), trained: false };
}

/** A model of random weights with the vocabulary of the one that ships, in a folder of its own. */
export async function randomModelFolder(shape: ModelConfig): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bert-qe-random-'));
  for (const name of ['vocab.txt', 'tokenizer.json', 'tokenizer_config.json']) {
    cpSync(join(root, 'models/tiny', name), join(folder, name));
  }
  const config = { ...shape, vocabulary: 16_384 };
  const weights = randomWeights(config);
  const tensors = [...weights.shapes].map(([name, dimensions]) => ({
    name,
    shape: dimensions,
    values: () => weights.get(name),
  }));
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  writeFileSync(join(folder, 'config.json'), formatModelConfig(config));
  return folder;
}
