import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode, writeFailure } from '../../common/io-errors.js';

const MANIFEST = 'manifest.json';

/** Leftovers of a process that was killed while it wrote are removed after this long. */
const ABANDONED_MS = 3_600_000;

/**
 * A folder that is written once and then only read. It appears whole or not at all, so that any number of
 * processes may ask for it at the same time.
 */
export async function folderOnce(
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

/** A new name, which {@link removeAbandoned} knows for what it is. */
function besides(folder: string): string {
  return `${folder}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
}

/** The manifest lists the files with their sizes: a file cut short or removed afterwards is noticed. */
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
 * Another process may have been first: its folder is as good as ours. A damaged one is moved out of the way, at once and
 * whole: to remove it where it lies would remove what another process puts there meanwhile.
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
      // Another process was quicker.
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
