import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Document, Ranking } from '../../src/collection/index.js';
import {
  Bm25,
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  Index,
  KL,
  QueryLikelihood,
  Searcher,
  type WeightedQuery,
  type WeightingModel,
} from '../../src/retrieval/index.js';
import { temporaryFolder } from '../support/folders.js';
import { countCollection, naiveModels, naiveSearch } from './naive.js';

const folder = temporaryFolder();
const analyzer = createAnalyzer({ base: 'plain' });
const models: Record<keyof typeof naiveModels, WeightingModel> = {
  dph: new Dph(),
  bm25: new Bm25(),
  ql: new QueryLikelihood(),
};

let built = 0;
async function indexOf(documents: readonly Document[], postingsInMemory?: number): Promise<Index> {
  const at = join(folder, `index-${built++}`);
  await buildIndex(asStream(documents), {
    folder: at,
    analyzer,
    ...(postingsInMemory === undefined ? {} : { postingsInMemory }),
  });
  return Index.open(at);
}

async function* asStream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** Every model finds the same documents and scores, to the last bit, whether it prunes or not. */
function expectSameWithoutPruning(index: Index, query: WeightedQuery, depths: readonly number[]): void {
  for (const model of Object.values(models)) {
    for (const depth of depths) {
      const [pruned, exhaustive] = [true, false].map((prune) =>
        new Searcher(index, { model, prune }).searchTerms(query, { depth }),
      );
      expect(pruned).toEqual(exhaustive);
    }
  }
}

/** Few words with very unequal frequencies: many ties, many blocks, common and rare terms. */
const words = fc.integer({ min: 0, max: 999 }).map((n) => `w${Math.floor(30 * (n / 1000) ** 3)}`);
const collections = fc
  .array(fc.array(words, { maxLength: 25 }), { minLength: 1, maxLength: 400 })
  .map((texts) =>
    texts.map((text, d): Document => ({ id: `${(d * 7919) % 1000}-${d}`, text: text.join(' ') })),
  );
const queries = fc.array(fc.tuple(words, fc.double({ min: 0.05, max: 3, noNaN: true })), {
  minLength: 1,
  maxLength: 6,
});

describe('searching', () => {
  test('gives the scores and the order of a naive scorer, for every model', async () => {
    await fc.assert(
      fc.asyncProperty(
        collections,
        queries,
        fc.integer({ min: 1, max: 60 }),
        async (documents, query, depth) => {
          const index = await indexOf(documents);
          const counted = countCollection(documents, analyzer);
          const weights = new Map<string, number>();
          for (const [term, weight] of query) weights.set(term, (weights.get(term) ?? 0) + weight);
          const terms = [...weights].map(([term, weight]) => ({ term, weight }));
          for (const name of ['dph', 'bm25', 'ql'] as const) {
            const found = new Searcher(index, { model: models[name] }).searchTerms(terms, { depth });
            const wanted = naiveSearch(counted, naiveModels[name], weights, depth);
            expect(found.length).toBe(wanted.length);
            found.forEach(({ score }, i) => expect(score).toBeCloseTo(wanted[i].score, 6));
            // Scores that differ by less than the score grid may swap; all others must stand in the naive order.
            const naive = new Map(
              naiveSearch(counted, naiveModels[name], weights, 1e9).map((r) => [r.id, r.score]),
            );
            found.forEach(({ id }, i) => expect(naive.get(id)).toBeCloseTo(wanted[i].score, 6));
          }
          await index.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('finds the same documents and scores, to the last bit, whether it prunes or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        collections,
        fc.array(queries, { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 20 }),
        async (documents, batch, depth) => {
          const index = await indexOf(documents);
          for (const query of batch) {
            expectSameWithoutPruning(
              index,
              query.map(([term, weight]) => ({ term, weight })),
              [depth],
            );
          }
          await index.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test('prunes safely over several windows and many blocks', async () => {
    let state = 7;
    const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
    const documents = Array.from({ length: 12_000 }, (_, d): Document => {
      const length = 1 + Math.floor(20 * random());
      const text = Array.from({ length }, () => `w${Math.floor(200 * random() ** 4)}`).join(' ');
      return { id: `d${d}`, text };
    });
    const index = await indexOf(documents);
    for (let q = 0; q < 40; q++) {
      const terms = Array.from({ length: 1 + (q % 5) }, () => ({
        term: `w${Math.floor(200 * random() ** 2)}`,
        weight: 0.1 + random(),
      }));
      expectSameWithoutPruning(index, terms, [1, 10, 1000]);
    }
    await index.close();
  });

  test('finds the best also where the threshold guessed from a sample of the windows is far too high', async () => {
    // The sample of ten windows is windows 0 and 5. All good documents stand there, and they are fewer than asked for.
    const documents = Array.from({ length: 10 * 4096 }, (_, d): Document => {
      const good = d % 4096 < 400 && (d < 4096 || Math.floor(d / 4096) === 5);
      return { id: `d${d}`, text: good ? 'w w w q q' : d % 3 === 0 ? `w x${d % 7} y z` : 'x1 y' };
    });
    const index = await indexOf(documents);
    const query = [
      { term: 'w', weight: 1 },
      { term: 'x3', weight: 0.01 },
    ];
    // 700 are had from the sample alone, 1000 are not.
    expectSameWithoutPruning(index, query, [10, 700, 1000, 20_000]);
    await index.close();
  });

  test('breaks ties by document id, in byte order, at the cut too', async () => {
    const ids = ['b', 'a', '10', '9', 'é', 'z', '\u{1f600}', '\uffee'];
    const index = await indexOf(ids.map((id) => ({ id, text: 'same words here' })));
    const ranking = await new Searcher(index).search({ id: 'q', text: 'same' }, { depth: 5 });
    expect(ranking.map(({ id }) => id)).toEqual(['10', '9', 'a', 'b', 'z']);
    const all = await new Searcher(index).search({ id: 'q', text: 'same' });
    expect(all.map(({ id }) => id).slice(5)).toEqual(['é', '\uffee', '\u{1f600}']);
    await index.close();
  });

  test('breaks ties by document id over several windows, whatever the order of the documents', async () => {
    const orders = {
      ascending: (d: number) => d,
      descending: (d: number) => 12_999 - d,
      scrambled: (d: number) => (d * 7919) % 13_000,
    };
    for (const place of Object.values(orders)) {
      const documents = Array.from({ length: 13_000 }, (_, d): Document => {
        const number = place(d);
        return {
          id: `d${10_000 + number}`,
          text: number % 3 === 0 ? 'same words twice twice' : 'same words once',
        };
      });
      const index = await indexOf(documents);
      const searcher = new Searcher(index, { model: models.bm25 });
      for (const depth of [10, 1000]) {
        const ranking = searcher.searchTerms([{ term: 'words', weight: 1 }], { depth });
        // Shorter documents first, ids ascending among them.
        const shorter = documents.filter(({ text }) => text.endsWith('once')).map(({ id }) => id);
        expect(ranking.map(({ id }) => id)).toEqual(shorter.sort().slice(0, depth));
        expect(searcher.searchTerms([{ term: 'twice', weight: 1 }], { depth }).map(({ id }) => id)).toEqual(
          documents
            .filter(({ text }) => text.endsWith('twice'))
            .map(({ id }) => id)
            .sort()
            .slice(0, depth),
        );
      }
      await index.close();
    }
  });

  test('searches of thousands of words take turns: they can be given up, and none changes another', async () => {
    const words = Array.from({ length: 4000 }, (_, w) => `w${w}`);
    const documents = Array.from({ length: 9000 }, (_, d): Document => {
      const text = Array.from({ length: 20 }, (__, i) => words[(d * 31 + i * i * 17) % words.length]).join(
        ' ',
      );
      return { id: `d${d}`, text };
    });
    const index = await indexOf(documents);
    const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
    const texts = [words.join(' '), words.slice(0, 2000).join(' '), 'w1 w2 w3'];
    const alone: Ranking[] = [];
    for (const text of texts) alone.push(searcher.searchTerms(searcher.terms(text), { depth: 50 }));
    const search = (text: string, signal?: AbortSignal) =>
      searcher.search({ id: 'q', text }, { depth: 50, ...(signal && { signal }) });
    expect(await Promise.all([...texts, ...texts].map((text) => search(text)))).toEqual([...alone, ...alone]);
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    await expect(search(texts[0], abort.signal)).rejects.toMatchObject({ code: 'aborted' });
    expect(await search(texts[0])).toEqual(alone[0]);
    await index.close();
  });

  test('does not depend on how much is held in memory while building', async () => {
    const documents = Array.from({ length: 300 }, (_, d): Document => ({
      id: `d${d}`,
      title: d % 3 === 0 ? `title w${d % 11}` : '',
      text: Array.from({ length: d % 40 }, (_, i) => `w${(d * i) % 23}`).join(' '),
    }));
    const small = await indexOf(documents, 40);
    const large = await indexOf(documents);
    for (const text of ['w1 w2 w3', 'title w5', 'w22 w0 w0']) {
      for (const model of Object.values(models)) {
        const options = { model };
        expect(await new Searcher(small, options).search({ id: 'q', text })).toEqual(
          await new Searcher(large, options).search({ id: 'q', text }),
        );
      }
    }
    expect(small.statistics).toEqual(large.statistics);
    await small.close();
    await large.close();
  });

  test('returns nothing for a query whose words the index does not know', async () => {
    const index = await indexOf([{ id: 'a', text: 'some text' }]);
    expect(await new Searcher(index).search({ id: 'q', text: 'unknown' })).toEqual([]);
    expect(await new Searcher(index).search({ id: 'q', text: '' })).toEqual([]);
    await index.close();
  });
});
