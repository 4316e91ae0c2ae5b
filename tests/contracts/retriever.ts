import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Document, DocumentStore, Retriever } from '../../src/collection/index.js';

/** The documents of the collection under contract: equal texts, an empty one, a title, signs of several alphabets. */
export const contractDocuments: readonly Document[] = [
  { id: 'bees-1', title: 'Bees', text: 'Honey bees see ultraviolet patterns on petals.' },
  { id: 'bees-2', text: 'Bees dance to tell other bees the way to a meadow of flowers.' },
  { id: 'bridge', text: 'A suspension bridge hangs its roadway from cables over tall towers.' },
  { id: 'empty', text: '' },
  { id: 'twin-b', text: 'Coffee plants grow in the shade of taller trees.' },
  { id: 'twin-a', text: 'Coffee plants grow in the shade of taller trees.' },
  { id: 'Ünï/c?de #1', text: 'Ünïcode — 漢字 and 🐝 emoji in a text about flowers' },
  ...Array.from({ length: 40 }, (_, i) => ({
    id: `filler-${i}`,
    text: `Stones of kind ${i} lie ${'very '.repeat(i % 5)}still beside the river`,
  })),
];

export interface OpenedRetriever {
  readonly retriever: Retriever;
  readonly store: DocumentStore;
  close(): Promise<void>;
}

/** The contract of a Retriever and DocumentStore over {@link contractDocuments}. */
export function retrieverContract(name: string, open: () => Promise<OpenedRetriever>): void {
  describe(`${name} keeps the retriever and document store contract`, () => {
    let opened: OpenedRetriever;
    const search = (text: string, options = {}) => opened.retriever.search({ id: 'q', text }, options);
    beforeAll(async () => {
      opened = await open();
    }, 600_000);
    afterAll(async () => opened?.close());

    it('finds documents that have a word of the query, best first', async () => {
      const ranking = await search('bees and flowers');
      expect(ranking.map(({ id }) => id).sort()).toEqual(['Ünï/c?de #1', 'bees-1', 'bees-2'].sort());
      const scores = ranking.map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(ranking[0].id).toBe('bees-2');
    });

    it('finds words of the title', async () => {
      expect((await search('bees')).map(({ id }) => id)).toContain('bees-1');
    });

    it('ranks equal documents by their id, also at the cut', async () => {
      expect((await search('coffee')).map(({ id }) => id)).toEqual(['twin-a', 'twin-b']);
      expect((await search('coffee', { depth: 1 })).map(({ id }) => id)).toEqual(['twin-a']);
    });

    it('returns at most as many as asked for, and a longer ranking begins with a shorter one', async () => {
      const long = await search('stones beside the river');
      expect(long).toHaveLength(40);
      expect(await search('stones beside the river', { depth: 7 })).toEqual(long.slice(0, 7));
    });

    it('gives the same ranking every time, for several callers at once', async () => {
      const expected = await search('tall bridge towers');
      const all = await Promise.all([1, 2, 3, 4].map(() => search('tall bridge towers')));
      for (const ranking of all) expect(ranking).toEqual(expected);
    });

    it('finds nothing for words that no document has, for stop words and for no words', async () => {
      for (const text of ['zyzzyva', 'the of', '', '?!']) expect(await search(text)).toEqual([]);
    });

    it('does not start when its signal has already fired', async () => {
      await expect(search('bees', { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: 'aborted',
      });
    });

    it('gives documents back as they were, whatever their ids and letters', async () => {
      const found = await opened.store.get(contractDocuments.map(({ id }) => id));
      expect([...found.values()]).toEqual(contractDocuments);
    });

    it('leaves out ids that it does not hold', async () => {
      const found = await opened.store.get(['nobody', 'bridge', '']);
      expect([...found.keys()]).toEqual(['bridge']);
      expect(await opened.store.get([])).toEqual(new Map());
    });
  });
}
