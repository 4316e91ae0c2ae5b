import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { readDocuments } from '../../src/collection/documents.js';
import { buildIndex, checkIndex, createAnalyzer, Index } from '../../src/retrieval/index.js';
import { temporaryFolder } from '../support/folders.js';
import { collect, fixture, withoutOrigin } from './support.js';

const peers = fileURLToPath(new URL('../fixtures/peers/sgml/', import.meta.url));

describe.each(['terrier', 'anserini'] as const)('the elements of %s', (peer) => {
  const expected = new Map(
    readFileSync(`${peers}${peer}.jsonl`, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; terms: string[] })
      .map(({ id, terms }) => [id, terms] as const),
  );
  const analyzer = createAnalyzer({ base: peer });

  it('give the terms that its own reader gives, in the same order', async () => {
    const found = new Map<string, string[]>();
    for (const path of [fixture('robust04'), `${peers}odd.sgml`]) {
      for await (const { id, searched } of readDocuments(path, { format: 'trec', elements: peer })) {
        found.set(id, [...analyzer.analyze(searched!)]);
      }
    }
    // Anserini reads CDATA sections, which no TREC disk has; here they are skipped.
    if (peer === 'anserini') {
      expect(expected.get('odd-6')).toEqual(['befor', 'raw', 'data', 'behind']);
      expected.set('odd-6', ['befor', 'behind']);
    }
    expect(found.size).toBe(14);
    expect(found).toEqual(expected);
  });

  it('do not change title and text', async () => {
    const path = fixture('robust04');
    const read = async (elements: 'text' | typeof peer) =>
      (await collect(readDocuments(path, { format: 'trec', elements }))).map(withoutOrigin);
    expect(await read(peer)).toEqual(await read('text'));
  });

  it('are what an index is searched by, and check knows it', async () => {
    const folder = temporaryFolder();
    const documents = readDocuments(fixture('robust04'), { format: 'trec', elements: peer });
    await buildIndex(documents, { folder, analyzer });
    const index = Index.open(folder);
    expect(checkIndex(folder)).toMatchObject({ problems: [] });
    // The edition stands in <DATE>, which is neither title nor text.
    expect(index.term('edit')?.documentFrequency).toBe(2);
    const stored = await index.get(['LA010199-9001']);
    expect(Object.keys(stored.get('LA010199-9001')!)).toEqual(['id', 'title', 'text']);
    await index.close();
  });
});

test('elements are refused for other formats than TREC SGML', async () => {
  await expect(
    collect(readDocuments(fixture('gov2'), { format: 'trecweb', elements: 'terrier' })),
  ).rejects.toThrow('--elements has no effect on trecweb files; it is for TREC SGML.');
});

test('documents can be left out by the beginning of their ids', async () => {
  const documents = await collect(
    readDocuments(fixture('robust04'), { format: 'trec', leaveOut: ['FR94', 'LA'] }),
  );
  expect(documents.map(({ id }) => id.replace(/\d.*/, ''))).toEqual(['FT', 'FT', 'FBIS', 'FBIS']);
});
