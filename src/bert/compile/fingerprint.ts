import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rememberedFileHash } from '../../common/hash.js';
import type { CheckpointFile } from '../checkpoint/index.js';

export async function fingerprint(checkpoint: CheckpointFile): Promise<string[]> {
  const files = await weightFiles(checkpoint);
  return Promise.all(files.map(rememberedFileHash));
}

/** The files a checkpoint is read from: one, or an index and its shards. */
async function weightFiles({ path, format }: CheckpointFile): Promise<string[]> {
  const folder = dirname(path);
  if (format === 'tensorflow') {
    const names = await readdir(folder);
    return names
      .filter((name) => name.startsWith(`${basename(path)}.`))
      .sort()
      .map((name) => join(folder, name));
  }
  if (!path.endsWith('.index.json')) return [path];
  const index = JSON.parse(await readFile(path, 'utf8')) as { weight_map: Record<string, string> };
  const shards = [...new Set(Object.values(index.weight_map))].sort();
  return [path, ...shards.map((name) => join(folder, name))];
}
