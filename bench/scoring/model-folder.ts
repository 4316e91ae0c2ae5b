import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeSafetensors } from '../../src/bert/checkpoint/index.js';
import { formatModelConfig, type SizeLetter } from '../../src/bert/config.js';
import { findModel } from '../../src/bert/models.js';
import { randomWeights, sizeConfig } from './gpu/random-weights.js';
import { root } from './workload.js';

/** The model that ships, or one of random weights with the vocabulary of the one that ships (to be removed by the caller). */
export async function modelFolder(size: SizeLetter): Promise<{ folder: string; trained: boolean }> {
  const shipped = await findModel(size).catch(() => undefined);
  if (shipped !== undefined) return { folder: shipped, trained: true };
  const folder = mkdtempSync(join(tmpdir(), `bert-qe-${size}-`));
  for (const name of ['vocab.txt', 'tokenizer.json', 'tokenizer_config.json']) {
    const file = resolve(root, 'models/tiny', name);
    if (existsSync(file)) cpSync(file, join(folder, name));
  }
  const config = { ...sizeConfig(size), vocabulary: 16_384 };
  const weights = randomWeights(config);
  const tensors = [...weights.shapes].map(([name, shape]) => ({
    name,
    shape,
    values: () => weights.get(name),
  }));
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  writeFileSync(join(folder, 'config.json'), formatModelConfig(config));
  return { folder, trained: false };
}
