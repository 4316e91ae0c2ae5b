import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunJournal as Journal, type WrittenQuery as JournalEntry } from '../../src/runs/journal.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'journal-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const inputs = { queries: 'abc', alpha: '0.4' };
const entry = (i: number): JournalEntry => ({
  query: `q${i}`,
  run: `q${i} Q0 d${i} 1 0.5 tag\n`.repeat(1 + (i % 3)),
  explanation: `{"query":"é ${i}"}\n`,
});

async function read(journal: Journal): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const found of journal.entries()) entries.push(found);
  return entries;
}

async function written(path: string, count: number): Promise<void> {
  const journal = await Journal.open(path, inputs);
  for (let i = 0; i < count; i++) await journal.append(entry(i));
  await journal.close();
}

describe('a journal', () => {
  test('gives back what was finished, in order, after it was closed and opened again', async () => {
    const path = join(folder, 'j');
    await written(path, 5);
    const journal = await Journal.open(path, inputs);
    expect(journal.finished).toBe(5);
    expect([journal.has('q3'), journal.has('q5')]).toEqual([true, false]);
    await journal.append(entry(5));
    expect(await read(journal)).toEqual([0, 1, 2, 3, 4, 5].map(entry));
    await journal.discard();
    await journal.close();
    const anew = await Journal.open(path, inputs);
    expect(anew.finished).toBe(0);
    await anew.close();
  });

  test('cut off at any byte goes on after its last whole line', async () => {
    const path = join(folder, 'j');
    await written(path, 4);
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: whole.length }), async (length) => {
        writeFileSync(path, whole);
        truncateSync(path, length);
        const journal = await Journal.open(path, inputs);
        const { finished } = journal;
        const lines = whole.subarray(0, length).toString('latin1').split('\n').length - 1;
        expect(finished).toBe(Math.max(0, lines - 1));
        for (let i = finished; i < 4; i++) await journal.append(entry(i));
        await journal.close();
        expect(readFileSync(path).equals(whole)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('damaged in the middle keeps what stands before the damage', async () => {
    const path = join(folder, 'j');
    await written(path, 4);
    const bytes = readFileSync(path);
    const third = bytes.indexOf('"q2"');
    bytes[third + 1] = 'x'.charCodeAt(0);
    writeFileSync(path, bytes);
    const journal = await Journal.open(path, inputs);
    expect(await read(journal)).toEqual([entry(0), entry(1)]);
    await journal.close();
  });

  test('of other inputs is refused, with what differs, and left alone', async () => {
    const path = join(folder, 'j');
    await written(path, 2);
    const before = readFileSync(path);
    await expect(Journal.open(path, { ...inputs, alpha: '0.5', run: 'x' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/other inputs \(alpha, run differ\).*delete the file/),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('does not overwrite a file that is something else', async () => {
    const path = join(folder, 'j');
    writeFileSync(path, 'my notes\n');
    await expect(Journal.open(path, inputs)).rejects.toThrow(/not a journal/);
    expect(readFileSync(path, 'utf8')).toBe('my notes\n');
  });

  test('in a folder that does not exist says so', async () => {
    await expect(Journal.open(join(folder, 'no', 'j'), inputs)).rejects.toMatchObject({ code: 'missing' });
  });
});
