import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BertQeError } from '../../common/errors.js';
import { systemCode } from '../../common/io-errors.js';

/** What the names of locks begin with. */
export const LOCK = 'write.lock';

/** A lock file is empty between its creation and its first byte; after so long, its writer died in between. */
const MOMENT_MS = 60_000;

/** Takes the folder's write lock; returns the function that gives it back. A dead process's lock is taken over. */
export function lockForWriting(folder: string): () => void {
  const file = join(folder, LOCK);
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(file, JSON.stringify({ pid: process.pid, started: startOf(process.pid) })))
      return () => unlinkSync(file);
    const { holder, isAbandoned } = examine(file);
    if (isAbandoned) removeAbandoned(file);
    else if (holder) {
      throw new BertQeError(
        'locked',
        `${folder} is being written by process ${holder.pid}; wait for it, or write to another folder.`,
      );
    }
  }
  throw new BertQeError('locked', `${folder} is being written by another process; wait for it to finish.`);
}

/** False where the file is there already. */
function create(file: string, content: string): boolean {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, content);
    closeSync(handle);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** One process at a time, which looks again: the lock that was abandoned may be another's by now. */
function removeAbandoned(file: string): void {
  const guard = `${file}.guard`;
  if (!create(guard, '')) {
    if (examine(guard).isAbandoned) rmSync(guard, { force: true });
    return;
  }
  try {
    if (examine(file).isAbandoned) unlinkSync(file);
  } finally {
    rmSync(guard, { force: true });
  }
}

interface Holder {
  readonly pid: number;
  readonly started: string;
}

/** Who holds a lock, where it says so; and whether that process is gone. */
function examine(file: string): { holder?: Holder; isAbandoned: boolean } {
  try {
    const { mtimeMs } = statSync(file);
    const text = readFileSync(file, 'utf8');
    if (text === '') return { isAbandoned: Date.now() - mtimeMs > MOMENT_MS };
    const holder = JSON.parse(text) as Holder;
    return { holder, isAbandoned: !isAlive(holder) };
  } catch (error) {
    // Given back meanwhile; or no lock of ours, which nobody will give back.
    return { isAbandoned: systemCode(error) !== 'ENOENT' };
  }
}

/** Process ids are reused: the holder is alive only if the process also started when it did. */
function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startOf(pid) === started;
}

/** When a process started, in the kernel's own words; empty where /proc does not say. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
