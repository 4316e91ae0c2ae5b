import { expect } from 'vitest';
import type { Document, DocumentStore, Qrels, Query, Run } from '../../src/collection/index.js';
import type { NetworkReranker } from '../../src/controls/index.js';
import { buildIndex, createAnalyzer, Index } from '../../src/retrieval/index.js';

/** A made-up collection in which a document is relevant where it has the query's rare word. */
const topics = ['granite', 'heron', 'violin', 'glacier', 'saffron', 'lantern', 'walnut', 'harbour'];

export const documents: readonly Document[] = topics.flatMap((topic, t) =>
  Array.from({ length: 6 }, (_, i): Document => {
    const own =
      i < 2 ? `The ${topic} was found near the old mill. People write about the ${topic} often.` : '';
    const other = topics[(t + i) % topics.length]!;
    return {
      id: `${topic}-${i}`,
      title: i % 2 === 0 ? `Note ${i} on ${i < 2 ? topic : other}` : '',
      text: `${own} Some remarks on ${other} and on the weather of the season, number ${i}.`,
    };
  }),
);

export const queries: readonly Query[] = topics.map((topic, i) => ({ id: `q${i}`, text: `about ${topic}` }));

export const run: Run = new Map(
  topics.map((topic, t) => [
    `q${t}`,
    documents
      .slice(6 * t, 6 * t + 6)
      .concat(documents.slice((6 * t + 18) % 48, ((6 * t + 18) % 48) + 6))
      .map(({ id }, i) => ({ id, score: 12 - i + (id.startsWith(topic) ? 0 : 0.5) }))
      .sort((a, b) => b.score - a.score),
  ]),
);

export const qrels: Qrels = new Map(
  topics.map((topic, t) => [`q${t}`, new Map([0, 1].map((i) => [`${topic}-${i}`, 1] as const))]),
);

export const store: DocumentStore = {
  get: async (ids) =>
    new Map(documents.filter(({ id }) => ids.includes(id)).map((document) => [document.id, document])),
};

/** Inputs of a training: six queries to train on, two to validate with. */
export const inputs = {
  queries: queries.slice(0, 6),
  validationQueries: queries.slice(6),
  qrels,
  run,
  documents: store,
  documentsKey: 'notes',
};

/** A document of a thousand sentences. */
export const long = Array.from({ length: 1000 }, (_, i) => `Sentence ${i} tells of granite and rain.`).join(
  ' ',
);

/** The candidates of a query with their texts and initial scores. */
export const candidatesOf = (query: string) =>
  run.get(query)!.map(({ id, score }) => ({ ...documents.find((one) => one.id === id)!, score }));

/** Builds an index of some documents in a folder. */
export async function indexOf(folder: string, some: readonly Document[]): Promise<Index> {
  const collection = (async function* () {
    yield* some;
  })();
  await buildIndex(collection, { folder, analyzer: createAnalyzer({ base: 'terrier' }) });
  return Index.open(folder);
}

/** Checks that empty, long and strange texts are ranked, with finite scores. */
export async function expectStrangeTextsRanked(reranker: NetworkReranker): Promise<void> {
  const strange = ['\u{1F9F2}\u{1F9F2} ŧħœ \u0000', '\u{1F9F2} qqq zzz', 'granite '.repeat(5000)];
  const given = ['', '   ', long, 'Granite is hard.', ...strange];
  for (const query of ['granite', 'x', 'qqq', '\u{1F9F2}', 'qqqq zzzz wwww', long]) {
    const { results } = await reranker.rerank(query, given);
    expect(results.map(({ index }) => index).sort()).toEqual([...given.keys()]);
    for (const { score } of results) expect(Number.isFinite(score)).toBe(true);
    expect((await reranker.rerank(query, [])).results).toEqual([]);
    expect((await reranker.rerank(query, [''])).results).toHaveLength(1);
  }
  await expect(reranker.rerank('  ', given)).rejects.toThrow('the query is empty');
}
