import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openExampleJournal } from '../../src/training/examples/journal.js';
import { judgedCandidates, sampleCandidates } from '../../src/training/examples/query-examples.js';
import { trainingSettings } from '../../src/training/settings.js';
import { temporaryFolder } from '../support/folders.js';

const candidates = (count: number, relevant: number) =>
  Array.from({ length: count }, (_, i) => ({ document: `d${i}`, relevant: i < relevant }));

describe('candidates', () => {
  test('are relevant from level 1 on; what is not judged is not', () => {
    const ranking = ['a', 'b', 'c', 'd'].map((id) => ({ id, score: 1 }));
    const judged = new Map([
      ['a', 2],
      ['b', 0],
      ['d', 1],
    ]);
    expect(judgedCandidates(ranking, judged, 3)).toEqual([
      { document: 'a', relevant: true },
      { document: 'b', relevant: false },
      { document: 'c', relevant: false },
    ]);
  });

  test('are all taken as published, or a sample that the seed decides', () => {
    const all = candidates(50, 5);
    expect(sampleCandidates('q', all, trainingSettings())).toEqual(all);
    const some = sampleCandidates('q', all, trainingSettings({ candidates: 10 }));
    expect(some).toHaveLength(10);
    expect(sampleCandidates('q', all, trainingSettings({ candidates: 10 }))).toEqual(some);
    expect(sampleCandidates('q', all, trainingSettings({ candidates: 10, seed: 2 }))).not.toEqual(some);
  });

  test('keep all that are relevant where the others are capped', () => {
    const some = sampleCandidates('q', candidates(50, 5), trainingSettings({ negatives: 2 }));
    expect(some.filter(({ relevant }) => relevant)).toHaveLength(5);
    expect(some).toHaveLength(15);
    expect(sampleCandidates('q', candidates(50, 0), trainingSettings({ negatives: 2 }))).toHaveLength(2);
  });
});

describe('a journal of passages', () => {
  const folder = temporaryFolder();
  const found = [{ document: 'd', passage: 'text' }];

  test('gives back what was added, without the line that a kill cut off', async () => {
    const file = join(folder, 'a.jsonl');
    const journal = await openExampleJournal(file, 'key');
    await journal.append({ query: '1', found });
    await journal.close();
    appendFileSync(file, '0123456789abcdef {"query":"2","fou');
    const again = await openExampleJournal(file, 'key');
    expect([(await again.get('1'))?.found, await again.get('2')]).toEqual([found, undefined]);
    await again.append({ query: '2', found });
    await again.close();
    const third = await openExampleJournal(file, 'key');
    expect((await third.get('2'))?.found).toEqual(found);
    await third.close();
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
  });

  test('starts anew for another configuration', async () => {
    const file = join(folder, 'b.jsonl');
    const journal = await openExampleJournal(file, 'key');
    await journal.append({ query: '1', found });
    await journal.close();
    const other = await openExampleJournal(file, 'other');
    expect(await other.get('1')).toBeUndefined();
    await other.close();
  });
});
