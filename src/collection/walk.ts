import { readdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { readFailure } from '../common/io-errors.js';

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** `stat` that throws a {@link BertQeError}. */
export async function statPath(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (error) {
    throw readFailure(path, error);
  }
}

/**
 * Every regular file below a folder, in an order that does not depend on the machine. Hidden files are left out; a
 * folder that is reached twice through links is read once.
 */
export async function listFiles(folder: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const walked = new Set<string>();
  const walk = async (path: string, stats: Stats): Promise<void> => {
    const identity = `${stats.dev}:${stats.ino}`;
    if (walked.has(identity)) return;
    walked.add(identity);
    const names = await readdir(path).catch((error: unknown) => {
      throw readFailure(path, error);
    });
    for (const name of names.toSorted()) {
      if (name.startsWith('.')) continue;
      const child = join(path, name);
      const childStats = await statPath(child);
      if (childStats.isDirectory()) await walk(child, childStats);
      else if (childStats.isFile()) found.push({ path: child, bytes: childStats.size });
    }
  };
  await walk(folder, await statPath(folder));
  return found;
}

/** True where a path exists and is not a folder. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );
}
