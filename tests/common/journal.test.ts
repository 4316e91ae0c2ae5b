import { mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { Journal, type JournalOptions } from '../../src/common/journal.js';

interface Entry {
  readonly query: string;
  readonly text: string;
}

const root = temporaryFolder();
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'journal-'));
  path = join(folder, 'j');
});
afterEach(() => void vi.restoreAllMocks());

const options: JournalOptions<Entry> = {
  kind: 'bert-qe test 1',
  inputs: { queries: 'abc', alpha: '0.4' },
  keysOf: ({ query }) => [query],
  ifOther: 'refuse',
};
const entry = (i: number): Entry => ({ query: `q${i}`, text: `é ${i}\n`.repeat(1 + (i % 3)) });
const open = (changes: Partial<JournalOptions<Entry>> = {}): Promise<Journal<Entry>> =>
  Journal.open(path, { ...options, ...changes });

async function read(journal: Journal<Entry>): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const found of journal.entries()) entries.push(found);
  return entries;
}

async function write(count: number): Promise<Buffer> {
  const journal = await open();
  for (let i = 0; i < count; i++) await journal.append(entry(i));
  await journal.close();
  return readFileSync(path);
}

describe('a journal', () => {
  test('gives back its entries after it was closed and opened again', async () => {
    await write(5);
    const journal = await open();
    expect(journal.size).toBe(5);
    expect([journal.has('q3'), journal.has('q5')]).toEqual([true, false]);
    await journal.append(entry(5));
    expect(await read(journal)).toEqual([0, 1, 2, 3, 4, 5].map(entry));
    expect([await journal.get('q2'), await journal.get('q5'), await journal.get('q6')]).toEqual([
      entry(2),
      entry(5),
      undefined,
    ]);
    await journal.discard();
    await journal.close();
    const anew = await open();
    expect(anew.size).toBe(0);
    await anew.close();
  });

  test('gives the last of several entries with one key', async () => {
    const journal = await open();
    await journal.append(entry(1));
    await journal.append({ query: 'q1', text: 'second' });
    expect([journal.size, await journal.get('q1')]).toEqual([1, { query: 'q1', text: 'second' }]);
    await journal.close();
  });

  test('holds entries larger than a block of reading', async () => {
    const large = { query: 'large', text: 'é'.repeat(400_000) };
    const journal = await open();
    await journal.append(large);
    await journal.append(entry(1));
    await journal.close();
    const again = await open();
    expect(await again.get('large')).toEqual(large);
    expect(await read(again)).toEqual([large, entry(1)]);
    await again.close();
  });

  test('cut off at any byte goes on after its last whole line, without a warning', async () => {
    const warn = vi.spyOn(process, 'emitWarning');
    const whole = await write(4);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        writeFileSync(path, whole);
        truncateSync(path, length);
        const journal = await open();
        const { size } = journal;
        const lines = whole.subarray(0, length).toString('latin1').split('\n').length - 1;
        expect(size).toBe(Math.max(0, lines - 1));
        for (let i = size; i < 4; i++) await journal.append(entry(i));
        await journal.close();
        expect(readFileSync(path).equals(whole)).toBe(true);
      }),
      { numRuns: 150 },
    );
    expect(warn).not.toHaveBeenCalled();
  });

  test('damaged in the middle keeps the entries before the damage and names its line', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const bytes = await write(4);
    bytes[bytes.indexOf('"q2"') + 1] = 'x'.charCodeAt(0);
    writeFileSync(path, bytes);
    const journal = await open();
    expect(await read(journal)).toEqual([entry(0), entry(1)]);
    await journal.close();
    expect(warn.mock.calls.map(([message]) => message)).toEqual([
      `${path}: line 4 is damaged. The 2 entries before it are kept; what follows is done again.`,
    ]);
  });

  test('without an order loses only the damaged lines, and takes more entries', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const bytes = await write(5);
    for (const key of ['"q1"', '"q3"']) bytes[bytes.indexOf(key) + 1] = 'x'.charCodeAt(0);
    writeFileSync(path, bytes);
    const journal = await open({ isUnordered: true });
    expect(await read(journal)).toEqual([0, 2, 4].map(entry));
    await journal.append(entry(1));
    await journal.close();
    const again = await open({ isUnordered: true });
    expect([again.size, await again.get('q4'), await again.get('q1')]).toEqual([4, entry(4), entry(1)]);
    expect(await read(again)).toEqual([0, 2, 4, 1].map(entry));
    await again.close();
    expect(warn.mock.calls[0]).toEqual([
      `${path}: damaged in line 3 and 1 more. The other entries are kept; what is missing is done again.`,
    ]);
  });

  test('finds an entry under each of its keys', async () => {
    const journal = await open({ keysOf: ({ query, text }) => [query, text] });
    await journal.append({ query: 'a', text: 'b' });
    expect([journal.size, await journal.get('b')]).toEqual([2, { query: 'a', text: 'b' }]);
    await journal.close();
  });

  test('of other inputs is refused, with what differs, and left alone', async () => {
    const before = await write(2);
    await expect(open({ inputs: { ...options.inputs, alpha: '0.5', run: 'x' } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/other inputs \(alpha, run differ\).*delete the file/),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('does not overwrite a file that is something else', async () => {
    writeFileSync(path, 'my notes\n');
    await expect(open()).rejects.toThrow(/not a journal/);
    await expect(open({ kind: 'bert-qe other 1' })).rejects.toThrow(/not a journal/);
    expect(readFileSync(path, 'utf8')).toBe('my notes\n');
  });

  test('replaces another where that is wanted', async () => {
    await write(2);
    const changed = await open({ inputs: { queries: 'other' }, ifOther: 'replace' });
    expect([changed.size, await changed.get('q1')]).toEqual([0, undefined]);
    await changed.append(entry(7));
    await changed.close();
    const again = await open({ inputs: { queries: 'other' }, ifOther: 'replace' });
    expect(await read(again)).toEqual([entry(7)]);
    await again.close();
    writeFileSync(path, 'another format\n');
    const anew = await open({ ifOther: 'replace' });
    expect(anew.size).toBe(0);
    await anew.close();
  });

  test('in a folder that does not exist says so', async () => {
    path = join(folder, 'no', 'j');
    await expect(open()).rejects.toMatchObject({ code: 'missing' });
  });
});
