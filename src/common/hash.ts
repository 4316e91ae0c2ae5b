import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { writeFileAtomic } from './atomic.js';
import { cacheFolder } from './cache-folder.js';
import { readFailure, throwReadFailure } from './io-errors.js';

/** SHA-256 of a text, in hexadecimal, like every hash of this file; checksums are numbers. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Hash of a list of JSON values. Equal values have equal hashes, whatever the order of their objects' keys. */
export function hashJson(...values: readonly unknown[]): string {
  return hashText(JSON.stringify(values, sortKeys));
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Hash of a file's content, read anew at each call; with another `hash`, the file continues that. */
export async function hashFile(path: string, hash: Hash = createHash('sha256')): Promise<string> {
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash).catch(throwReadFailure(path));
  return hash.digest('hex');
}

/** CRC-32 of a file's content, read anew at each call. It detects damage and is much faster than a hash. */
export async function checksumFile(path: string): Promise<number> {
  let sum = 0;
  try {
    for await (const block of createReadStream(path, { highWaterMark: 1 << 20 })) {
      sum = crc32(block as Buffer, sum);
    }
  } catch (error) {
    throw readFailure(path, error);
  }
  return sum;
}

/** Smaller files are read in milliseconds. */
const REMEMBERED_BYTES = 1 << 20;

/**
 * Hash of a file's content. The hash of a large file is kept in the cache folder under the file's identity, size
 * and times, and used again while those last. For verification use {@link hashFile}.
 */
export async function rememberedFileHash(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true }).catch(
    throwReadFailure(path),
  );
  if (size < REMEMBERED_BYTES) return hashFile(path);
  const identity = [resolve(path), dev, ino, size, mtimeNs, ctimeNs].join('\0');
  const folder = join(cacheFolder(), 'digests');
  const memo = join(folder, hashText(identity).slice(0, 32));
  const known = await readFile(memo, 'utf8').catch(() => '');
  if (/^[0-9a-f]{64}$/.test(known)) return known;
  const hash = await hashFile(path);
  // Without a cache that can be written to, the file is read again next time.
  await mkdir(folder, { recursive: true })
    .then(() => writeFileAtomic(memo, hash))
    .catch(() => {});
  return hash;
}

/**
 * Hash of a file, or of the names and contents of all files in a folder and below it; `includes` selects files by
 * name. Hashes of large files are remembered.
 */
export async function hashPath(
  path: string,
  includes: (name: string) => boolean = () => true,
): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) return await rememberedFileHash(path);
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => !entry.isDirectory() && includes(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const hashes: [string, string][] = [];
    for (const file of files) {
      const name = relative(path, file).split(sep).join('/');
      hashes.push([name, await rememberedFileHash(file)]);
    }
    return hashJson(hashes);
  } catch (error) {
    throw readFailure(path, error);
  }
}
