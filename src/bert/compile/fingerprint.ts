import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomic } from '../../common/atomic.js';
import { cacheFolder } from '../cache-folder.js';
import type { CheckpointFile } from '../checkpoint/index.js';

/** Below this a file is read again each time, which takes milliseconds. */
const REMEMBERED_BYTES = 64 << 20;

/**
 * Names the content of a checkpoint: SHA-256 of each of its files. For large files the last answer is kept
 * beside their size and times, and used while those last.
 */
export async function fingerprint(checkpoint: CheckpointFile): Promise<string[]> {
  const files = await weightFiles(checkpoint);
  return Promise.all(files.map(fileDigest));
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

async function fileDigest(file: string): Promise<string> {
  const info = await stat(file, { bigint: true });
  if (info.size < REMEMBERED_BYTES) return sha256(file);
  const identity = [resolve(file), info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join('\0');
  const name = createHash('sha256').update(identity).digest('hex').slice(0, 32);
  const memo = join(cacheFolder(), 'digests', name);
  const known = await readFile(memo, 'utf8').catch(() => '');
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const digest = await sha256(file);
  await mkdir(join(cacheFolder(), 'digests'), { recursive: true });
  await writeFileAtomic(memo, digest);
  return digest;
}

/** SHA-256 of a file's content, in hexadecimal. */
export async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
