import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfAborted } from '../../common/errors.js';
import { systemCode, writeFailure } from '../../common/io-errors.js';

/** The holder touches its lock this often; untouched for STALE_MS, its holder is gone. */
const HEARTBEAT_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 200;

/**
 * Runs an action while no other process does so under the same lock file. A lock whose holder has died, on
 * this machine or by its silence on another, is taken over.
 */
export async function withLock<T>(
  path: string,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true }).catch((error: unknown) => {
    throw writeFailure(path, error);
  });
  let held: string | undefined;
  while ((held = await acquire(path)) === undefined) {
    throwIfAborted(signal);
    const holder = await abandonedBy(path);
    if (holder !== undefined) await removeLock(path, holder);
    else await sleep(POLL_MS, undefined, signal && { signal }).catch(() => throwIfAborted(signal));
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, HEARTBEAT_MS);
  heartbeat.unref();
  try {
    return await action();
  } finally {
    clearInterval(heartbeat);
    await removeLock(path, held);
  }
}

/** Takes the lock and returns its content, or returns undefined. */
async function acquire(path: string): Promise<string | undefined> {
  const content = JSON.stringify({ pid: process.pid, host: hostname(), key: randomUUID() });
  try {
    const handle = await open(path, 'wx');
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    return content;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return undefined;
    throw writeFailure(path, error);
  }
}

/** The content of a lock whose holder is gone; undefined where it is alive, or the lock in motion. */
async function abandonedBy(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs } = await stat(path);
    const content = await readFile(path, 'utf8');
    if (Date.now() - mtimeMs > STALE_MS) return content;
    const { pid, host } = JSON.parse(content) as { pid?: unknown; host?: unknown };
    return host === hostname() && typeof pid === 'number' && !isAlive(pid) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Takes this holder's lock away; one that another process has set in its place meanwhile is put back. */
async function removeLock(path: string, holder: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
    if ((await readFile(aside, 'utf8')) !== holder) await link(aside, path);
  } catch {
    // Someone else was faster.
  }
  await rm(aside, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
