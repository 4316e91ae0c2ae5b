import { copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BertQeError } from '../../common/errors.js';
import { writeFailure } from '../../common/io-errors.js';

const TOKENIZER_FILES = [
  'tokenizer.json',
  'vocab.txt',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
];

/** Makes the folder of a new model; refuses one that is not empty. */
export async function newModelFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    throw writeFailure(folder, error);
  }
  throw new BertQeError('usage', `${folder} is not empty; name a new folder for the model.`);
}

/** Copies the files of a model's tokenizer. */
export async function copyTokenizer(from: string, to: string): Promise<void> {
  for (const name of TOKENIZER_FILES) {
    const isThere = await stat(join(from, name)).then(
      () => true,
      () => false,
    );
    if (isThere) await copyFile(join(from, name), join(to, name));
  }
}
