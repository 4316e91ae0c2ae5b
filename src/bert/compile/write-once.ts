import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checksumFile } from '../../common/hash.js';
import { systemCode, writeFailure } from '../../common/io-errors.js';

/** The file with the CRC-32 of every other file of the folder. */
const CHECKSUMS = 'checksums.json';

/** The age at which leftovers of a killed process are removed. */
const ABANDONED_MS = 3_600_000;

/**
 * Writes a folder once; later calls return it. It appears whole or not at all, so several processes may write it at the
 * same time. A folder with a damaged file is written again, with a warning that names the file.
 */
export async function writeOnce(
  folder: string,
  write: (temporary: string) => Promise<void>,
): Promise<string> {
  const { isWhole, damaged } = await examine(folder);
  if (isWhole) return folder;
  if (damaged !== undefined) {
    process.emitWarning(
      `${join(folder, damaged)} is damaged: it is not what was written. It is written again.`,
    );
  }
  const temporary = besides(folder);
  try {
    await mkdir(temporary, { recursive: true });
    await removeAbandoned(dirname(folder));
    await write(temporary);
    const checksums: Record<string, number> = {};
    for (const name of await readdir(temporary)) checksums[name] = await checksumFile(join(temporary, name));
    await writeFile(join(temporary, CHECKSUMS), JSON.stringify(checksums));
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

/** Reads every file of the folder and compares its checksum; names a damaged one. */
async function examine(folder: string): Promise<{ readonly isWhole: boolean; readonly damaged?: string }> {
  const text = await readFile(join(folder, CHECKSUMS), 'utf8').catch(() => undefined);
  if (text === undefined) return { isWhole: false };
  let checksums: [string, unknown][];
  try {
    checksums = Object.entries(JSON.parse(text) as Record<string, unknown>);
  } catch {
    return { isWhole: false, damaged: CHECKSUMS };
  }
  for (const [name, checksum] of checksums) {
    const found = await checksumFile(join(folder, name)).catch(() => undefined);
    if (found !== checksum) return { isWhole: false, damaged: name };
  }
  return { isWhole: true };
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
    if ((await examine(folder)).isWhole) return rm(temporary, { recursive: true, force: true });
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
