import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { hashFile, hashJson, hashPath, hashText, rememberedFileHash } from '../../src/common/hash.js';

const root = temporaryFolder();
afterAll(() => void vi.unstubAllEnvs());
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'hash-'));
  vi.stubEnv('BERT_QE_CACHE', join(folder, 'cache'));
});

const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');

/** The same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, one]) => [key, reversed(one)]),
  );
}

describe('the hash of JSON values', () => {
  it('is the SHA-256 of their JSON', () => {
    expect(hashText('abc')).toBe(sha256('abc'));
    expect(hashJson('a', 1, [true, null])).toBe(sha256('["a",1,[true,null]]'));
  });

  it('does not depend on the order of keys, but on everything else', () => {
    expect(hashJson({ a: 1, b: { c: 2, d: 3 } })).toBe(hashJson({ b: { d: 3, c: 2 }, a: 1 }));
    expect(hashJson([1, 2])).not.toBe(hashJson([2, 1]));
    expect(hashJson('a', 'b')).not.toBe(hashJson('ab'));
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(hashJson(reversed(a))).toBe(hashJson(a));
        expect(hashJson(a) === hashJson(b)).toBe(isSame(a, b));
      }),
      { numRuns: 200 },
    );
  });
});

/** Equality of what JSON keeps: -0 is written as 0. */
function isSame(a: unknown, b: unknown): boolean {
  try {
    expect(JSON.parse(JSON.stringify(a))).toEqual(JSON.parse(JSON.stringify(b)));
    return true;
  } catch {
    return false;
  }
}

describe('the hash of a file', () => {
  it('is the SHA-256 of its bytes, or continues another hash', async () => {
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'hello');
    expect(await hashFile(file)).toBe(sha256('hello'));
    const gitBlob = createHash('sha1').update('blob 5\0');
    expect(await hashFile(file, gitBlob)).toBe('b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0');
  });

  it('of a file that is not there is refused by name', async () => {
    for (const hash of [hashFile, rememberedFileHash, hashPath]) {
      await expect(hash(join(folder, 'none'))).rejects.toMatchObject({
        code: 'missing',
        message: expect.stringContaining(join(folder, 'none')) as string,
      });
    }
  });

  it('is remembered for a large file until its content or times change', async () => {
    const large = join(folder, 'large.bin');
    writeFileSync(large, 'start');
    truncateSync(large, 65 << 20);
    const hash = await rememberedFileHash(large);
    expect(hash).toBe(await hashFile(large));
    const memos = join(folder, 'cache', 'digests');
    const [memo] = readdirSync(memos);
    const planted = 'f'.repeat(64);
    writeFileSync(join(memos, memo), planted);
    expect(await rememberedFileHash(large)).toBe(planted);
    writeFileSync(join(memos, memo), 'damaged');
    expect(await rememberedFileHash(large)).toBe(hash);
    writeFileSync(join(memos, memo), planted);
    utimesSync(large, new Date(), new Date(Date.now() + 5000));
    expect(await rememberedFileHash(large)).toBe(hash);
    expect(readdirSync(memos)).toHaveLength(2);
  });

  it('does not need a cache folder that can be written to', async () => {
    const large = join(folder, 'large.bin');
    writeFileSync(large, '');
    truncateSync(large, 65 << 20);
    writeFileSync(join(folder, 'cache'), 'a file is in the way');
    expect(await rememberedFileHash(large)).toBe(await hashFile(large));
    expect(statSync(join(folder, 'cache')).isFile()).toBe(true);
  });
});

/** Makes a folder with these files. */
function make(name: string, files: Readonly<Record<string, string>>): string {
  const made = join(folder, name);
  mkdirSync(join(made, 'below'), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(made, file), text);
  return made;
}

const withoutNotes = (name: string): boolean => !name.endsWith('.md');

describe('the hash of a folder', () => {
  it('depends on names and contents, and not on where the folder is', async () => {
    const files = { 'a.txt': '1', 'below/b.txt': '2' };
    const hash = await hashPath(make('one', files));
    expect(hash).toBe(
      hashJson([
        ['a.txt', sha256('1')],
        ['below/b.txt', sha256('2')],
      ]),
    );
    expect(await hashPath(make('two', files))).toBe(hash);
    expect(await hashPath(make('three', { 'a.txt': '1', 'below/c.txt': '2' }))).not.toBe(hash);
    expect(await hashPath(make('four', { 'a.txt': '1', 'below/b.txt': '3' }))).not.toBe(hash);
  });

  it('leaves out files by name and follows links to files', async () => {
    const one = make('one', { 'a.txt': '1', 'README.md': 'first' });
    const two = make('two', { 'README.md': 'second' });
    symlinkSync(join(one, 'a.txt'), join(two, 'a.txt'));
    expect(await hashPath(one, withoutNotes)).toBe(await hashPath(two, withoutNotes));
    expect(await hashPath(one)).not.toBe(await hashPath(two));
  });
});
