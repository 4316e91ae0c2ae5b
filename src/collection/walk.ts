import { readdir, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { throwReadFailure } from '../common/io-errors.js';
import { standardStream } from '../common/output.js';

export interface FolderListing {
  readonly files: readonly FoundFile[];
  /** Number of hidden files and folders and of `node_modules` folders, which are left out. */
  readonly leftOut: number;
}

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

/** `stat` that throws a {@link BertQeError}. */
export function statPath(path: string): Promise<Stats> {
  return stat(path).catch(throwReadFailure(path));
}

/**
 * Every regular file below a folder, in an order that does not depend on the machine. Hidden ones are left out,
 * and so are installed packages; a folder that is reached twice through links is read once.
 */
export async function listFiles(folder: string): Promise<FolderListing> {
  const files: FoundFile[] = [];
  let leftOut = 0;
  const walked = new Set<string>();
  const walk = async (path: string, stats: Stats): Promise<void> => {
    const identity = `${stats.dev}:${stats.ino}`;
    if (walked.has(identity)) return;
    walked.add(identity);
    const names = await readdir(path).catch(throwReadFailure(path));
    for (const name of names.toSorted()) {
      if (name.startsWith('.') || name === 'node_modules') {
        leftOut++;
        continue;
      }
      const child = join(path, name);
      const childStats = await statPath(child);
      if (childStats.isDirectory()) await walk(child, childStats);
      else if (childStats.isFile()) files.push({ path: child, bytes: childStats.size });
    }
  };
  await walk(folder, await statPath(folder));
  return { files, leftOut };
}

/** True for a folder; throws where nothing is there. Standard input is none. */
export async function isFolder(path: string): Promise<boolean> {
  return path !== standardStream && (await statPath(path)).isDirectory();
}

/** True where a path exists and is not a folder. */
export async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => !stats.isDirectory(),
    () => false,
  );
}
