import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode, writeFailure } from '../../common/io-errors.js';

const MANIFEST = 'manifest.json';

/** The age at which leftovers of a killed process are removed. */
const ABANDONED_MS = 3_600_000;

/**
 * Writes a folder once; later calls return it. It appears whole or not at all, so several processes may write it at the
 * same time.
 */
export async function writeOnce(
  folder: string,
  write: (temporary: string) => Promise<void>,
): Promise<string> {
  if (await isComplete(folder)) return folder;
  const temporary = besides(folder);
  try {
    await mkdir(temporary, { recursive: true });
    await removeAbandoned(dirname(folder));
    await write(temporary);
    const sizes: Record<string, number> = {};
    for (const name of await readdir(temporary)) sizes[name] = (await stat(join(temporary, name))).size;
    await writeFile(join(temporary, MANIFEST), JSON.stringify(sizes));
    await moveTo(temporary, folder);
    return folder;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw systemCode(error) ? writeFailure(folder, error) : error;
  }
}

/** A new temporary name beside the folder, which {@link removeAbandoned} recognises. */
function besides(folder: string): string {
  return `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
}

/** True if all files that the manifest lists exist with their sizes. */
async function isComplete(folder: string): Promise<boolean> {
  try {
    const sizes = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Record<string, number>;
    for (const [name, size] of Object.entries(sizes)) {
      if ((await stat(join(folder, name))).size !== size) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Moves the folder to its place. The folder of a process that was faster is kept. A damaged folder is renamed before it
 * is removed: removed in place, it could take with it what another process has just put there.
 */
async function moveTo(temporary: string, folder: string): Promise<void> {
  for (;;) {
    try {
      return await rename(temporary, folder);
    } catch (error) {
      if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error;
    }
    if (await isComplete(folder)) return rm(temporary, { recursive: true, force: true });
    const aside = besides(folder);
    await rename(folder, aside).catch((error: unknown) => {
      // Another process was faster.
      if (systemCode(error) !== 'ENOENT') throw error;
    });
    await rm(aside, { recursive: true, force: true });
  }
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(parent, name);
    const info = await stat(path).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}
