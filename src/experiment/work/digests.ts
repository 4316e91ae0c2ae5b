import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readFailure } from '../../common/io-errors.js';
import { writeFileAtomic } from '../../common/atomic.js';

/** A key for anything made of JSON values: equal values, equal keys. */
export function keyOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * SHA-256 of files and folders. Digests are remembered beside the files' size and times, so that a large
 * collection is not read again each time an experiment goes on.
 */
export class FileDigests {
  readonly #memo: Map<string, string>;

  private constructor(
    private readonly file: string,
    memo: Iterable<readonly [string, string]>,
  ) {
    this.#memo = new Map(memo);
  }

  static async open(file: string): Promise<FileDigests> {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    try {
      return new FileDigests(file, Object.entries(JSON.parse(text) as Record<string, string>));
    } catch {
      // Only a memory: what cannot be read is made again.
      return new FileDigests(file, []);
    }
  }

  /** Of a file, or of all files in a folder, their names included; `wanted` picks among those by name. */
  async of(path: string, wanted: (name: string) => boolean = () => true): Promise<string> {
    try {
      if (!(await stat(path)).isDirectory()) return await this.#ofFile(path);
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => !entry.isDirectory() && wanted(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
      const digests: [string, string][] = [];
      for (const file of files) digests.push([relative(path, file), await this.#ofFile(file)]);
      return keyOf(digests);
    } catch (error) {
      throw readFailure(path, error);
    }
  }

  async #ofFile(path: string): Promise<string> {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    const identity = [resolve(path), dev, ino, size, mtimeNs, ctimeNs].join(' ');
    const known = this.#memo.get(identity);
    if (known !== undefined) return known;
    const digest = await sha256Of(path);
    this.#memo.set(identity, digest);
    return digest;
  }

  async save(): Promise<void> {
    await writeFileAtomic(this.file, `${JSON.stringify(Object.fromEntries(this.#memo), undefined, 1)}\n`);
  }
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
