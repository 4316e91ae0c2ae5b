import { join } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { cacheFolder, inCache } from '../../src/common/cache-folder.js';
import { BertQeError } from '../../src/common/errors.js';
import { temporaryFolder } from '../support/folders.js';

const home = temporaryFolder();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const denied = (folder: string) => Promise.reject(Object.assign(new Error(folder), { code: 'EROFS' }));

/** Work that succeeds anywhere but in the cache folder. */
const work = (folder: string) =>
  folder === cacheFolder() ? denied(folder) : mkdir(join(folder, 'x'), { recursive: true });

test('work is done in the cache folder', async () => {
  vi.stubEnv('BERT_QE_CACHE', join(home, 'own'));
  expect(await inCache((folder) => Promise.resolve(folder))).toBe(join(home, 'own'));
});

test('one line says so where the temporary folder cannot be written to either', async () => {
  const file = join(home, 'file');
  await writeFile(file, '');
  vi.stubEnv('BERT_QE_CACHE', '');
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'read-only'));
  vi.stubEnv('TMPDIR', file);
  vi.stubEnv('TEMP', file);
  await expect(inCache(work)).rejects.toThrow(
    /^Neither the cache .*read-only.* nor .*file can be written to; .*BERT_QE_CACHE/,
  );
});

test('a cache that cannot be written to is replaced by a temporary folder, with one warning', async () => {
  vi.stubEnv('BERT_QE_CACHE', '');
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'read-only'));
  vi.stubEnv('TMPDIR', home);
  vi.stubEnv('TEMP', home);
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  expect(await inCache(work)).toContain(join(home, 'bert-qe'));
  await inCache(work);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/read-only.*EROFS.*BERT_QE_CACHE/));
});

test('a folder that was named has no substitute, nor has an error of another kind', async () => {
  vi.stubEnv('BERT_QE_CACHE', join(home, 'named'));
  await expect(inCache(denied)).rejects.toThrow('named');
  vi.stubEnv('BERT_QE_CACHE', '');
  const damaged = new BertQeError('corrupt', 'damaged');
  await expect(inCache(() => Promise.reject(damaged))).rejects.toBe(damaged);
});
