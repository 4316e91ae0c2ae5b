import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { lockForWriting } from '../../src/retrieval/index/lock.js';
import { temporaryFolder } from '../support/folders.js';

const root = temporaryFolder();
let made = 0;

/** A folder with a lock in it. */
function locked(content: string): string {
  const folder = join(root, String(made++));
  mkdirSync(folder);
  writeFileSync(join(folder, 'write.lock'), content);
  return folder;
}

const ofTheDead = JSON.stringify({ pid: 2 ** 22 + 1, started: '1' });

describe('the write lock', () => {
  test('is taken over from a process that is gone, and given back', () => {
    const folder = locked(ofTheDead);
    const unlock = lockForWriting(folder);
    expect(() => lockForWriting(folder)).toThrow(`is being written by process ${process.pid}`);
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is being written is left to its writer; one that stayed empty is taken over', () => {
    const folder = locked('');
    expect(() => lockForWriting(folder)).toThrow('is being written by another process');
    utimesSync(join(folder, 'write.lock'), 0, 0);
    lockForWriting(folder)();
  });

  test('of a dead process goes to one of those who come for it at once', async () => {
    const threads = 2;
    const folders = Array.from({ length: 60 }, () => locked(ofTheDead));
    const counters = new Int32Array(new SharedArrayBuffer(8 * folders.length));
    await Promise.all(
      Array.from({ length: threads }, () => {
        const worker = new Worker(new URL('lock-contender.js', import.meta.url), {
          workerData: { folders, threads, counters },
        });
        return new Promise((resolve, reject) => worker.on('exit', resolve).on('error', reject));
      }),
    );
    expect([...counters.subarray(folders.length)]).toEqual(folders.map(() => 1));
  });
});
