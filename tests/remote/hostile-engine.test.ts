import { describe, expect, it } from 'vitest';
import { BertQeError } from '../../src/common/errors.js';
import {
  EngineConnection,
  EngineIndex,
  EngineRetriever,
  type ConnectionOptions,
  type EngineName,
} from '../../src/remote/index.js';
import { Bm25, createAnalyzer, DivergenceFeedback, KL } from '../../src/retrieval/index.js';
import { loopback, type Answer, type Asked } from './support/loopback.js';

const manifest = {
  format: 'bert-qe-engine-index',
  version: 1,
  analyzer: createAnalyzer({ base: 'plain' }).spec,
  native: { bm25: { k1: 0.9, b: 0.4 } },
  replicas: 0,
  load: { state: 'complete', acknowledged: 1 },
  statistics: { documents: 1, nonEmptyDocuments: 1, tokens: 1, maxLength: 1 },
};

/** The answers of a sound cluster with one document, by the end of the path. */
const sound: Readonly<Record<string, unknown>> = {
  _mapping: { books: { mappings: { _meta: { bert_qe: manifest } } } },
  _search_shards: { shards: [[{ shard: 0 }]] },
  _mtermvectors: {
    docs: [
      {
        _id: 'd',
        found: true,
        term_vectors: { content: { terms: { stone: { doc_freq: 1, ttf: 1, term_freq: 1 } } } },
      },
    ],
  },
  point_in_time: { pit_id: 'p', _shards: { total: 1, successful: 1 } },
  _pit: { id: 'p' },
  _search: {
    timed_out: false,
    _shards: { total: 1, successful: 1, failed: 0 },
    hits: { hits: [{ _id: 'd', _score: 1, sort: [1, 'd'] }] },
  },
  _mget: { docs: [{ _id: 'd', found: true, _source: { text: 'stone' } }] },
};

const nameOf = ({ path }: Asked): string => new URL(path, 'http://localhost').pathname.split('/').at(-1)!;

async function connectTo(
  engine: EngineName,
  fault: (asked: Asked) => Answer | undefined,
  options: Partial<ConnectionOptions> = {},
) {
  const version = { number: engine === 'opensearch' ? '2.19.1' : '8.19.4', distribution: engine };
  const { url } = await loopback(
    (asked) => fault(asked) ?? { json: asked.path === '/' ? { version } : (sound[nameOf(asked)] ?? {}) },
  );
  return EngineConnection.open({
    engine,
    urls: [url],
    timeoutMs: 3000,
    retry: { attempts: 2, firstPauseMs: 1, longestPauseMs: 1 },
    ...options,
  });
}

/** Everything that a search with feedback and the re-ranking after it ask. */
async function searchAll(engine: EngineName, fault: (asked: Asked) => Answer | undefined) {
  const connection = await connectTo(engine, fault);
  try {
    const index = await EngineIndex.open(connection, 'books');
    const model = new Bm25({ lengthNorm: 'lucene' });
    const retriever = new EngineRetriever(index, { model, feedback: new DivergenceFeedback(KL) });
    const ranking = await retriever.search({ id: 'q', text: 'stone' });
    return await index.get(ranking.map(({ id }) => id));
  } finally {
    await connection.close();
  }
}

const wrong: readonly [string, unknown][] = [
  ['null', null],
  ['a text', 'a'],
  ['a number', 7],
  ['a list', [null]],
  ['nulls', { docs: null, hits: null, shards: null, _shards: null, books: null, pit_id: null }],
  ['texts', { docs: 'a', hits: 'a', shards: 'a', _shards: 'a', books: 'a' }],
  ['lists of null', { docs: [null], hits: { hits: [null] }, shards: [null], _shards: [], books: [] }],
  ['numbers', { docs: [7], hits: { hits: [7] }, shards: [[7]], _shards: 7, books: { mappings: 7 } }],
  [
    'half of it',
    {
      timed_out: false,
      _shards: { total: 1, successful: 1, failed: 0 },
      hits: { hits: [{ _id: 'd', _score: null }] },
      docs: [{ _id: 7, found: true, term_vectors: { content: { terms: { stone: null } } } }],
      shards: [[{ shard: null }]],
      books: { mappings: { _meta: { bert_qe: { format: manifest.format, version: 1 } } } },
    },
  ],
  ['too many', { docs: Array.from({ length: 1000 }, () => ({ _id: 'd', found: true, term_vectors: {} })) }],
];

describe.each<EngineName>(['opensearch', 'elasticsearch'])('%s that answers something else', (engine) => {
  it('is searched where it answers as it should', async () => {
    expect([...(await searchAll(engine, () => undefined)).keys()]).toEqual(['d']);
  });

  const asked = ['_mapping', '_search_shards', '_mtermvectors', '_search', '_mget'];
  it.each(asked.flatMap((name) => wrong.map(([kind, json]) => [name, kind, json] as const)))(
    'to %s, %s: named in one line',
    async (name, _, json) => {
      const failed = searchAll(engine, (one) =>
        nameOf(one) === name ? { text: JSON.stringify(json) } : undefined,
      );
      const error = await failed.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(BertQeError);
      expect((error as BertQeError).message).not.toMatch(/\n|undefined|TypeError/);
    },
  );

  it.each([
    ['null', null],
    ['lists', { error: { root_cause: [null], reason: [7], type: {} } }],
  ])('with a refusal of %s: named', async (_, json) => {
    const failed = searchAll(engine, (one) =>
      nameOf(one) === '_mget' ? { status: 400, text: JSON.stringify(json) } : undefined,
    );
    await expect(failed).rejects.toThrow(/_mget: 400/);
  });

  it('an endless answer is given up at a number of bytes, and a slow one after a time', async () => {
    let fault: Answer = 'endless';
    const connection = await connectTo(engine, ({ path }) => (path === '/' ? undefined : fault), {
      timeoutMs: 1000,
      answerBytes: 1 << 20,
      retry: { attempts: 1 },
    });
    await expect(EngineIndex.open(connection, 'books')).rejects.toThrow(/the answer is too long/);
    fault = 'slow';
    await expect(EngineIndex.open(connection, 'books')).rejects.toThrow(/within 1000 ms|has no end/);
    await connection.close();
  });
});
