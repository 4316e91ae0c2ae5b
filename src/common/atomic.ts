import { randomBytes } from 'node:crypto';
import { fsyncSync } from 'node:fs';
import { open, realpath, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { closing } from './closing.js';
import { systemCode, writeFailure } from './io-errors.js';

/** The content of a file, whole or in pieces. */
export type FileData =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** Bytes that are gathered from small pieces before they are written. */
const gatherBytes = 1 << 20;

/**
 * Writes a file atomically: a reader finds the old content or the whole new one, after a crash and on a full disk
 * too. The content goes to a temporary file beside it, is flushed to the disk and renamed. When anything fails,
 * the producer of the data included, the temporary file is removed and the old file stays.
 *
 * A target that is not a regular file (`/dev/null`, a pipe) cannot be replaced and is written directly.
 */
export async function writeFileAtomic(path: string, data: FileData): Promise<void> {
  const target = await resolveTarget(path);
  try {
    if (target.isSpecial) await closing(open(path, 'w'), (handle) => writeAll(handle, data));
    else await replaceFile(target, data);
  } catch (error) {
    throw isSystemError(error) ? writeFailure(path, error) : error;
  }
}

interface Target {
  readonly path: string;
  readonly isSpecial: boolean;
  /** Permission bits of the file that will be replaced. */
  readonly mode?: number;
}

/** Resolves links, so that the linked file is replaced and not the link. */
async function resolveTarget(path: string): Promise<Target> {
  try {
    const resolved = await realpath(path);
    const stats = await stat(resolved);
    if (stats.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    return { path: resolved, isSpecial: !stats.isFile(), mode: stats.mode & 0o777 };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { path, isSpecial: false };
    throw writeFailure(path, error);
  }
}

async function replaceFile({ path, mode }: Target, data: FileData): Promise<void> {
  const folder = dirname(path);
  const random = randomBytes(4).toString('hex');
  const temporary = join(folder, `.${basename(path)}.${process.pid}.${random}.tmp`);
  const handle = await open(temporary, 'wx', mode ?? 0o666);
  try {
    await closing(handle, async () => {
      // The umask must not narrow the mode of a file that is being replaced.
      if (mode !== undefined) await handle.chmod(mode);
      await writeAll(handle, data);
      await flushToDisk(handle);
    });
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
}

async function writeAll(handle: FileHandle, data: FileData): Promise<void> {
  if (typeof data === 'string' || data instanceof Uint8Array) return handle.writeFile(data);
  let gathered: Uint8Array[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const block = Buffer.concat(gathered, size);
    gathered = [];
    size = 0;
    // writeFile goes on where the last one stopped and completes short writes.
    if (block.length > 0) await handle.writeFile(block);
  };
  for await (const piece of data) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    gathered.push(bytes);
    size += bytes.length;
    if (size >= gatherBytes) await flush();
  }
  await flush();
}

/** Waits until what was written is on the disk. Under `--permission`, Node 26 has no such call. */
export async function flushToDisk(handle: FileHandle): Promise<void> {
  await handle.sync().catch(unlessDenied);
}

/** The same, for a descriptor. */
export function flushToDiskSync(descriptor: number): void {
  try {
    fsyncSync(descriptor);
  } catch (error) {
    unlessDenied(error);
  }
}

function unlessDenied(error: unknown): void {
  if (systemCode(error) !== 'ERR_ACCESS_DENIED') throw error;
}

/** Makes new names in a folder durable, on file systems that can. */
export async function syncFolder(folder: string): Promise<void> {
  await closing(open(folder, 'r'), (handle) => handle.sync()).catch(() => {});
}

/** True for errors of the file system; those of the data's producer pass through unchanged. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && 'syscall' in error;
}
