import { existsSync } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TOKENIZER_FILES } from '../model-folder.js';
import { usageError } from '../../common/errors.js';
import { throwWriteFailure } from '../../common/io-errors.js';
import { withLock } from '../../common/lock.js';

const LOCK = '.lock';

/**
 * Writes a new model into a folder that is empty or not there yet. One process at a time may do so. Where the action
 * fails, what it wrote is removed, so that the same call can be made again.
 */
export async function writeNewModel(
  folder: string,
  signal: AbortSignal | undefined,
  action: () => Promise<void>,
): Promise<void> {
  return withLock(join(folder, LOCK), { what: folder, signal }, async () => {
    if ((await contentOf(folder)).length > 0) {
      throw usageError(`${folder} is not empty; name a new folder for the model.`);
    }
    try {
      await action();
    } catch (error) {
      const written = await contentOf(folder).catch(() => []);
      for (const name of written) await rm(join(folder, name), { recursive: true, force: true });
      throw error;
    }
  });
}

async function contentOf(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(throwWriteFailure(folder));
  return names.filter((name) => name !== LOCK);
}

/** Copies the files of a model's tokenizer. */
export async function copyTokenizer(from: string, to: string): Promise<void> {
  for (const name of TOKENIZER_FILES) {
    if (existsSync(join(from, name))) await copyFile(join(from, name), join(to, name));
  }
}
