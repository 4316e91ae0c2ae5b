import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { lockForWriting } from '../../src/retrieval/index/lock.js';
import { temporaryFolder } from '../support/folders.js';

/** Called after a file was read: what other processes do at that moment. */
let meanwhile: ((path: string) => void) | undefined;

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const readFile = (...input: Parameters<typeof fs.readFileSync>) => {
    const content = fs.readFileSync(...input);
    meanwhile?.(String(input[0]));
    return content;
  };
  return { ...fs, readFileSync: readFile };
});

const root = temporaryFolder();
let made = 0;

/** A folder with a lock in it. */
function locked(content: string): { folder: string; lock: string } {
  const folder = join(root, String(made++));
  const lock = join(folder, 'write.lock');
  mkdirSync(folder);
  writeFileSync(lock, content);
  return { folder, lock };
}

const ofTheDead = JSON.stringify({ pid: 2 ** 22 + 1, started: '1' });

describe('the write lock', () => {
  test('is taken over from a process that is gone, and given back', () => {
    const { folder } = locked(ofTheDead);
    const unlock = lockForWriting(folder);
    expect(() => lockForWriting(folder)).toThrow(`is being written by process ${process.pid}`);
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is being written is left to its writer; one that stayed empty is taken over', () => {
    const { folder, lock } = locked('');
    expect(() => lockForWriting(folder)).toThrow('is being written by another process');
    utimesSync(lock, 0, 0);
    lockForWriting(folder)();
  });

  test('of a dead process is left to whoever was quicker to take it over', () => {
    const other = locked(ofTheDead);
    lockForWriting(other.folder);
    const ofTheLiving = readFileSync(other.lock, 'utf8');
    const { folder, lock } = locked(ofTheDead);
    meanwhile = (path) => {
      if (path !== lock) return;
      meanwhile = undefined;
      writeFileSync(lock, ofTheLiving);
    };
    expect(() => lockForWriting(folder)).toThrow(`is being written by process ${process.pid}`);
    expect(readFileSync(lock, 'utf8')).toBe(ofTheLiving);
    expect(readdirSync(folder)).toEqual(['write.lock']);
  });
});
