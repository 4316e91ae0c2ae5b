import { closeSync, existsSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { BertQeError } from '../../errors.js';

const LOCK = 'write.lock';

/** Takes the folder's write lock; returns the function that gives it back. A dead process's lock is taken over. */
export function lockForWriting(folder: string): () => void {
  const file = join(folder, LOCK);
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const handle = openSync(file, 'wx');
      writeSync(handle, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }));
      closeSync(handle);
      return () => unlinkSync(file);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      const holder = readHolder(file);
      if (holder && isAlive(holder)) {
        throw new BertQeError(
          'locked',
          `${folder} is being written by process ${holder.pid}; wait for it, or write to another folder.`,
          { cause },
        );
      }
      if (existsSync(file)) unlinkSync(file);
    }
  }
  throw new BertQeError('locked', `${folder} is being written by another process; wait for it to finish.`);
}

interface Holder {
  readonly pid: number;
  readonly started: string;
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined; // Gone meanwhile, or its writer died before writing: either way nobody holds it.
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
