import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { withLock } from '../../src/common/lock.js';
import { temporaryFolder } from '../support/folders.js';

/** Called after a file was read: stands for another process at that moment. */
let meanwhile: ((path: string) => void) | undefined;

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>();
  const readFile = async (...input: Parameters<typeof fs.readFile>) => {
    const content = await fs.readFile(...input);
    meanwhile?.(String(input[0]));
    return content;
  };
  return { ...fs, readFile };
});

const root = temporaryFolder();
const long = 10 * 60;
let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'lock-'));
  path = join(folder, 'write.lock');
});

/** Leaves a lock that was last touched some seconds ago. */
function leave(holder: object | string, ageSeconds = 0): string {
  const content = typeof holder === 'string' ? holder : JSON.stringify(holder);
  writeFileSync(path, content);
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(path, then, then);
  return content;
}

/** Takes the lock; resolves to its content. */
const take = (): Promise<string> =>
  withLock(path, { what: 'the index' }, async () => readFileSync(path, 'utf8'));

const here = hostname();
const dead = { pid: spawnSync(process.execPath, ['-e', '']).pid, started: '1', host: here };

describe('a lock', () => {
  test('is held by one at a time and given back, also after a failure', async () => {
    const content = JSON.parse(await take()) as object;
    expect(content).toMatchObject({ pid: process.pid, host: here });
    const failing = withLock(path, { what: 'the index' }, async () => {
      await expect(take()).rejects.toMatchObject({
        code: 'locked',
        message: `the index is being written by process ${process.pid}; wait for it, or write elsewhere.`,
      });
      throw new Error('within');
    });
    await expect(failing).rejects.toThrow('within');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of a dead process is taken over', async () => {
    leave(dead);
    await take();
    // As earlier versions wrote it.
    leave({ pid: dead.pid, started: '1' });
    await take();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')(
    'of a process whose id another has now is taken over',
    async () => {
      leave({ pid: process.pid, started: '1', host: here });
      await take();
    },
  );

  test.each([0, -1])(
    'of the process %d, which is none, is taken over when it was not touched',
    async (pid) => {
      leave({ pid, host: here }, long);
      expect(JSON.parse(await take())).toMatchObject({ pid: process.pid });
    },
  );

  test('of a process that is alive is kept, however long it was silent', async () => {
    const { started } = JSON.parse(await take()) as { started: string };
    const content = leave({ pid: process.pid, started, host: here }, long);
    await expect(take()).rejects.toMatchObject({ code: 'locked' });
    expect(readFileSync(path, 'utf8')).toBe(content);
  });

  test('of another host is kept while it is touched, and taken over after that', async () => {
    const there = { ...dead, host: 'elsewhere.test' };
    leave(there, 30);
    await expect(take()).rejects.toThrow(`is being written by process ${dead.pid} on elsewhere.test`);
    leave(there, long);
    await take();
  });

  test('without a holder is left to whoever is writing it, and taken over when it stays so', async () => {
    for (const content of ['', '{"pid":']) {
      leave(content);
      await expect(take()).rejects.toThrow('is being written by another process');
      leave(content, long);
      await take();
    }
  });

  test('of a dead process is left to whoever was quicker to take it over', async () => {
    const living = await take();
    leave(dead);
    meanwhile = (read) => {
      if (read !== path) return;
      meanwhile = undefined;
      leave(living);
    };
    await expect(take()).rejects.toThrow(`is being written by process ${process.pid}`);
    expect(readFileSync(path, 'utf8')).toBe(living);
    expect(readdirSync(folder)).toEqual(['write.lock']);
  });

  test('is taken over past the guard of a process that died while removing it', async () => {
    leave(dead);
    writeFileSync(`${path}.guard`, '');
    await expect(take()).rejects.toMatchObject({ code: 'locked' });
    utimesSync(`${path}.guard`, 0, 0);
    await take();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that was taken over is not given back by the former holder', async () => {
    await withLock(path, { what: 'the index' }, async () => leave({ ...dead, host: 'elsewhere.test' }));
    expect(readdirSync(folder)).toEqual(['write.lock']);
  });

  test('is waited for where that is asked for, until the caller gives up', async () => {
    const order: string[] = [];
    let finish!: () => void;
    const first = withLock(
      path,
      { what: 'the index' },
      () => new Promise<void>((resolve) => (finish = resolve)),
    );
    const controller = new AbortController();
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual(['write.lock']));
    const wait = { what: 'the index', wait: true };
    const given = withLock(path, { ...wait, signal: controller.signal }, async () => order.push('never'));
    const second = withLock(path, wait, async () => order.push('second'));
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'aborted' });
    order.push('first');
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  test('whose folder cannot be made is refused by name', async () => {
    writeFileSync(join(folder, 'file'), '');
    path = join(folder, 'file', 'below', 'write.lock');
    await expect(take()).rejects.toMatchObject({ message: expect.stringContaining(path) as string });
  });
});
