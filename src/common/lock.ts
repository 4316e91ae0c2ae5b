import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { BertQeError, throwIfAborted } from './errors.js';
import { systemCode, throwWriteFailure, writeFailure } from './io-errors.js';
import { pause } from './pause.js';

/** A holder touches its lock this often. */
const HEARTBEAT_MS = 5_000;
/** A lock that is not touched for so long is abandoned, unless its process can be seen to be alive. */
const STALE_MS = 60_000;
const POLL_MS = 100;
/** Looks at a lock that is just being taken, given back or taken over, before it counts as held. */
const LOOKS = 3;

interface LockOptions {
  /** The file or folder that the lock protects, for the message. */
  readonly what: string;
  /** Waits for another holder to finish, instead of failing with `locked`. */
  readonly wait?: boolean;
  /** Fails where the folder of the lock does not exist, instead of making it. */
  readonly inExistingFolder?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs an action while no other process runs one under the same lock file. The file names its holder by process id,
 * start time and host. The lock of a process that died is taken over: on this host as soon as the process is gone, on
 * another host (a shared disk) when the lock has not been touched for a minute.
 */
export async function withLock<T>(path: string, options: LockOptions, action: () => Promise<T>): Promise<T> {
  const held = await acquire(path, options);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    // Another process may have taken it over meanwhile.
    if ((await readFile(path, 'utf8').catch(() => '')) === held) await rm(path, { force: true });
  }
}

/** Takes the lock and returns its content. */
async function acquire(path: string, options: LockOptions): Promise<string> {
  const { what, wait = false, inExistingFolder = false, signal } = options;
  if (!inExistingFolder) await makeFolder(dirname(path)).catch(throwWriteFailure(path));
  const own: Holder = {
    pid: process.pid,
    started: await startOf(process.pid),
    host: hostname(),
    key: randomUUID(),
  };
  const content = JSON.stringify(own);
  for (let look = 1; ; look++) {
    throwIfAborted(signal);
    if (await create(path, content)) return content;
    const { holder, isAbandoned } = await examine(path);
    if (isAbandoned && (await removeAbandoned(path))) continue;
    if (!wait && ((holder && !isAbandoned) || look >= LOOKS)) throw isLocked(what, holder);
    await pause(POLL_MS, signal);
  }
}

/** Creates a folder and those above it. Node's `recursive` reports a read-only disk as a folder that does not exist. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    if (systemCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder).catch((again: unknown) => {
      if (systemCode(again) !== 'EEXIST') throw again;
    });
  }
}

function isLocked(what: string, holder: Holder | undefined): BertQeError {
  const elsewhere = holder?.host !== undefined && holder.host !== hostname() ? ` on ${holder.host}` : '';
  const who = holder ? `process ${holder.pid}${elsewhere}` : 'another process';
  return new BertQeError('locked', `${what} is being written by ${who}; wait for it, or write elsewhere.`);
}

/** Creates the file; false where it is there already. A file that cannot be written, on a full disk, is removed. */
async function create(path: string, content: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx');
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw writeFailure(path, error);
  }
  try {
    await file.writeFile(content);
    await file.close();
    return true;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw writeFailure(path, error);
  }
}

/**
 * Removes an abandoned lock. A guard file lets one process at a time do so, after another look: meanwhile the lock may
 * have been taken over by a process that is alive.
 */
async function removeAbandoned(path: string): Promise<boolean> {
  const guard = `${path}.guard`;
  if (!(await create(guard, ''))) {
    if ((await examine(guard)).isAbandoned) await rm(guard, { force: true });
    return false;
  }
  try {
    const { isAbandoned } = await examine(path);
    if (isAbandoned) await rm(path, { force: true });
    return isAbandoned;
  } finally {
    await rm(guard, { force: true });
  }
}

interface Holder {
  readonly pid: number;
  /** Start time of the process; empty where the system does not tell. */
  readonly started?: string;
  readonly host?: string;
  /** Tells one lock of a process from the next. */
  readonly key?: string;
}

interface LockState {
  /** Absent where the file is gone, or its content not yet written. */
  readonly holder?: Holder;
  readonly isAbandoned: boolean;
}

async function examine(path: string): Promise<LockState> {
  try {
    const { mtimeMs } = await stat(path);
    const holder = parseHolder(await readFile(path, 'utf8'));
    const isStale = Date.now() - mtimeMs > STALE_MS;
    if (!holder) return { isAbandoned: isStale };
    const isHere = holder.host === undefined || holder.host === hostname();
    return { holder, isAbandoned: isHere ? !(await isAlive(holder)) : isStale };
  } catch {
    return { isAbandoned: false };
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder;
    // 0 and below stand for groups of processes, some of which always live.
    return Number.isInteger(holder.pid) && holder.pid > 0 ? holder : undefined;
  } catch {
    return undefined;
  }
}

/** Process ids are reused: the holder is alive only if the process with its id also started when it did. */
async function isAlive({ pid, started }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
  const now = await startOf(pid);
  return !started || !now || now === started;
}

/** Start time of a process in the kernel's ticks since boot; empty where there is no /proc. */
async function startOf(pid: number): Promise<string> {
  try {
    const fields = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The second field, the command's name in parentheses, may hold spaces; field 22 is the start time.
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
