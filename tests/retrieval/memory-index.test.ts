import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocuments, readQueries, type Document } from '../../src/collection/index.js';
import {
  Bm25,
  Bo1,
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  Index,
  KL,
  MemoryIndex,
  QueryLikelihood,
  Rm3,
  Searcher,
  type SearcherOptions,
} from '../../src/retrieval/index.js';
import { contractDocuments, retrieverContract } from '../contracts/retriever.js';
import { temporaryFolder } from '../support/folders.js';

retrieverContract('The index in memory', async () => {
  const index = await MemoryIndex.build(contractDocuments, {
    analyzer: createAnalyzer({ base: 'anserini' }),
  });
  return { retriever: new Searcher(index), store: index, close: async () => {} };
});

retrieverContract('The index of a file', async () => {
  const built = await MemoryIndex.build(contractDocuments);
  const index = await MemoryIndex.fromFile(await built.toFile());
  return { retriever: new Searcher(index), store: index, close: async () => {} };
});

const demo = join(import.meta.dirname, '../../demo');

/** A text as an index's file holds it. */
const textBytes = (text: string) => [text.length, ...Buffer.from(text)];

describe('the index in memory', () => {
  let documents: Document[];
  let stored: Index;
  let memory: MemoryIndex;
  beforeAll(async () => {
    documents = [];
    for await (const { origin: _, ...document } of readDocuments(join(demo, 'corpus.jsonl'))) {
      documents.push(document);
    }
    const folder = temporaryFolder();
    const analyzer = createAnalyzer({ base: 'terrier' });
    await buildIndex(readDocuments(join(demo, 'corpus.jsonl')), { folder, analyzer });
    stored = Index.open(folder);
    memory = await MemoryIndex.build(documents);
  });
  afterAll(() => stored.close());

  it('has the statistics of the index in files', () => {
    expect(memory.statistics).toEqual(stored.statistics);
    expect(memory.lengths).toEqual(stored.lengths);
  });

  it.each<[string, SearcherOptions]>([
    ['BM25', { model: new Bm25() }],
    ['DPH', { model: new Dph() }],
    ['QL', { model: new QueryLikelihood() }],
    ['DPH+KL', { feedback: new DivergenceFeedback(KL) }],
    ['DPH+Bo1', { feedback: new DivergenceFeedback(Bo1) }],
    ['BM25+RM3', { model: new Bm25(), feedback: new Rm3() }],
  ])('ranks like the index in files, to the last bit: %s', async (_, options) => {
    for (const query of await readQueries(join(demo, 'queries.jsonl'))) {
      const wanted = await new Searcher(stored, options).search(query, { depth: 100 });
      expect(wanted.length).toBeGreaterThan(0);
      expect(await new Searcher(memory, options).search(query, { depth: 100 })).toEqual(wanted);
    }
  });

  it('comes back from its file as it was', async () => {
    const file = await memory.toFile();
    const read = await MemoryIndex.fromFile(file);
    expect(read.documents).toEqual(documents);
    expect(read.statistics).toEqual(memory.statistics);
    expect(read.analyzer.spec).toEqual(memory.analyzer.spec);
    expect(await new Searcher(read).search({ id: '1', text: 'honey bees' })).toEqual(
      await new Searcher(memory).search({ id: '1', text: 'honey bees' }),
    );
  });

  it('refuses a file that is damaged, cut or something else', async () => {
    const file = await memory.toFile();
    const damaged = file.slice();
    damaged[Math.floor(file.length / 2)] ^= 1;
    const other = new Uint8Array(
      await new Response(
        new Blob(['{"no": "index"}']).stream().pipeThrough(new CompressionStream('gzip')),
      ).arrayBuffer(),
    );
    for (const bytes of [damaged, file.slice(0, -20), other, new Uint8Array(0)]) {
      await expect(MemoryIndex.fromFile(bytes)).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining('build it again'),
      });
    }
  });

  it.each([
    ['four billion documents', [255, 255, 255, 255, 15]],
    ['terms that are none', [1, 1, 97, 0, 1, 98, 1, 1, 98, 1, 9, 1]],
    ['no terms where some must be', [1, 1, 97, 0, 1, 98]],
    ['more than an index', [0, 0, 7]],
  ])('refuses a file with %s, made by others', async (_, rest) => {
    const spec = JSON.stringify({ base: 'terrier', stopwords: 'none', stemmer: 'porter' });
    const made = gzipSync(
      Uint8Array.from([...textBytes('bert-qe memory index'), 1, ...textBytes(spec), ...rest]),
    );
    await expect(MemoryIndex.fromFile(made)).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('refuses documents, queries and depths that are none', async () => {
    await expect(MemoryIndex.build(undefined as never)).rejects.toThrow('the documents must be an array');
    const searcher = new Searcher(memory);
    for (const query of [undefined, 'bees', { id: '1' }]) {
      await expect(searcher.search(query as never)).rejects.toMatchObject({ code: 'usage' });
    }
    for (const depth of [1.5, Number.NaN, -1]) {
      const search = searcher.search({ id: '1', text: 'bees' }, { depth });
      await expect(search).rejects.toThrow(`depth must be a whole number, not ${depth}`);
    }
    const all = await searcher.search({ id: '1', text: 'bees' }, { depth: Number.POSITIVE_INFINITY });
    expect(all.length).toBeGreaterThan(0);
  });

  it('refuses documents without an id, and ids that are there twice', async () => {
    const text = 'bees';
    await expect(MemoryIndex.build([{ id: 'a', text }, { text } as Document])).rejects.toThrow(
      'documents[1] must be an object with an id and a text',
    );
    await expect(
      MemoryIndex.build([
        { id: 'a', text },
        { id: 'a', text },
      ]),
    ).rejects.toThrow('documents[1]: the id "a" is there twice');
  });

  it('tells its progress, and stops when it is told to', async () => {
    const reports: number[] = [];
    await MemoryIndex.build(documents, { onProgress: (done) => reports.push(done) });
    expect(reports.at(-1)).toBe(documents.length);
    await expect(
      MemoryIndex.build(
        Array.from({ length: 200 }, () => documents).flatMap((copy, i) =>
          copy.map((document) => ({ ...document, id: `${i} ${document.id}` })),
        ),
        { signal: AbortSignal.timeout(1) },
      ),
    ).rejects.toMatchObject({ code: 'aborted' });
  });
});
