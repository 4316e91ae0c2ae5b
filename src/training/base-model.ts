import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BertScorer,
  DEFAULT_MAX_LENGTH,
  findModel,
  loadTokenizer,
  type ModelConfig,
  readCrossEncoderConfig,
  readModelConfig,
  type Scorer,
  sha256,
  type Tokenizer,
} from '../bert/index.js';
import { hashOf } from './configuration.js';
import { LazyScorer } from './examples/index.js';

/** A model that training starts from; its vocabulary was found to be its own. */
export interface BaseModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
}

export async function readBaseModel(name: string): Promise<BaseModel> {
  const folder = await findModel(name);
  return { folder, config: await readModelConfig(folder), tokenizer: await loadTokenizer(folder) };
}

/** What tells a model from any other: the hash of its files, notes and logs aside. */
export async function modelKey(folder: string): Promise<string> {
  const files = (await readdir(folder, { withFileTypes: true }))
    .filter(
      (entry) => !entry.isDirectory() && /\.(?:json|txt|safetensors|bin|index|data-.*)$/.test(entry.name),
    )
    .map(({ name }) => name)
    .filter((name) => name !== 'training.json')
    .sort();
  const hashes: [string, string][] = [];
  for (const file of files) hashes.push([file, await sha256(join(folder, file))]);
  return hashOf(hashes);
}

/** A model that scores pairs, loaded when first asked. */
export function scorerOf(folder: string): Scorer {
  return new LazyScorer(async () => {
    const { maxPositions } = await readCrossEncoderConfig(folder);
    return BertScorer.load({
      model: folder,
      device: 'cpu',
      maxLength: Math.min(DEFAULT_MAX_LENGTH, maxPositions),
    });
  });
}
