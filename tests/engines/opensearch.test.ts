import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readDocuments,
  readQueries,
  type Document,
  type DocumentStore,
  type Ranking,
} from '../../src/collection/index.js';
import { EngineConnection, EngineIndex, EngineRetriever, loadEngineIndex } from '../../src/remote/index.js';
import { number, object, text } from '../../src/remote/search/answer-shape.js';
import { BertQE } from '../../src/expansion/index.js';
import { rerankRun } from '../../src/runs/index.js';
import {
  Bm25,
  Bo1,
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  Index,
  KL,
  QueryLikelihood,
  Rm3,
  Searcher,
  type SearcherOptions,
} from '../../src/retrieval/index.js';
import { contractDocuments, retrieverContract } from '../contracts/retriever.js';
import { loopback, type Answer } from '../remote/support/loopback.js';
import { collectionPath, hasCollections } from '../support/shared.js';
import { passOn } from './support/gateway.js';
import { expectParity } from './support/parity.js';
import { engineFolder, searchEngine, withoutEngine } from './support/services.js';

const isThere = engineFolder('opensearch') !== undefined;
const minutes = 60_000;

async function* contractCollection() {
  yield* contractDocuments;
}

describe.skipIf(!isThere)(isThere ? 'OpenSearch' : `OpenSearch ${withoutEngine('opensearch')}`, () => {
  const server = searchEngine('opensearch', 19_300);
  const folders: string[] = [];
  let connection: EngineConnection;
  const connect = () =>
    EngineConnection.open({ engine: 'opensearch', urls: [server.url], retry: { attempts: 60 } });
  beforeAll(async () => {
    await server.start();
    connection = await connect();
  }, 6 * minutes);
  afterAll(async () => {
    await connection?.close();
    await server.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }, minutes);

  async function load(
    name: string,
    documents: () => AsyncIterable<Document>,
    base: 'anserini' | 'terrier',
    shards = 2,
  ) {
    const analyzer = createAnalyzer({ base });
    await loadEngineIndex(documents, { connection, index: name, analyzer: analyzer.spec, shards });
    return EngineIndex.open(connection, name);
  }

  async function embed(documents: AsyncIterable<Document>, base: 'anserini' | 'terrier') {
    const folder = mkdtempSync(join(tmpdir(), 'bert-qe-test-'));
    folders.push(folder);
    await buildIndex(documents, { folder, analyzer: createAnalyzer({ base }) });
    return Index.open(folder);
  }

  retrieverContract('OpenSearch', async () => {
    const store = await load('contract', contractCollection, 'anserini', 3);
    const retriever = new EngineRetriever(store);
    return { retriever, store, close: () => retriever.close() };
  });

  const models: Readonly<Record<string, SearcherOptions>> = {
    DPH: { model: new Dph() },
    BM25: { model: new Bm25() },
    'BM25 as Lucene has it': { model: new Bm25({ lengthNorm: 'lucene' }) },
    QL: { model: new QueryLikelihood() },
    'QL as Lucene has it': { model: new QueryLikelihood({ lengthNorm: 'lucene' }) },
    'DPH with KL': { model: new Dph(), feedback: new DivergenceFeedback(KL) },
    'DPH with Bo1': { model: new Dph(), feedback: new DivergenceFeedback(Bo1) },
    'BM25 with RM3': { model: new Bm25(), feedback: new Rm3() },
  };

  describe.each(['cranfield', 'npl'])('on %s', (name) => {
    const folder = collectionPath(name);
    let local: Index;
    let remote: EngineIndex;
    beforeAll(async () => {
      if (!hasCollections) return;
      local = await embed(readDocuments(folder), 'terrier');
      remote = await load(name, () => readDocuments(folder), 'terrier');
    }, 10 * minutes);
    afterAll(async () => local?.close());

    it.skipIf(!hasCollections)('makes the terms that our analyzer makes', () => {
      const { documents, nonEmptyDocuments, tokens, maxLength } = local.statistics;
      expect(remote.statistics).toEqual({ documents, nonEmptyDocuments, tokens, maxLength });
    });

    it.skipIf(!hasCollections).each(Object.keys(models))(
      'ranks by %s as the embedded index does',
      async (label) => {
        // All queries for the two models that the others build on.
        const count = label === 'DPH' || label === 'BM25' ? undefined : 30;
        const here = new Searcher(local, models[label]);
        const there = new EngineRetriever(remote, models[label]);
        await expectParity(folder, here, there, count);
        await there.close();
      },
      5 * minutes,
    );
  });

  it(
    'gives BERT-QE the texts that make the same final ranking',
    async () => {
      const demo = fileURLToPath(new URL('../../demo/', import.meta.url));
      const local = await embed(readDocuments(demo), 'terrier');
      const remote = await load('demo', () => readDocuments(demo), 'terrier');
      const queries = (await readQueries(demo)).slice(0, 5);
      const searcher = new Searcher(local);
      const candidates = new Map<string, Ranking>();
      for (const query of queries) candidates.set(query.id, await searcher.search(query, { depth: 40 }));
      const bertQe = await BertQE.load({ models: 'TTT', depth: 40 });
      const ranked = async (store: DocumentStore) => {
        const rankings: Ranking[] = [];
        for await (const { ranking } of rerankRun(bertQe, queries, candidates, store)) rankings.push(ranking);
        return rankings;
      };
      const here = await ranked(local);
      expect(here).toHaveLength(queries.length);
      expect(await ranked(remote)).toEqual(here);
      await bertQe.close();
      await local.close();
    },
    5 * minutes,
  );

  it(
    'ranks the same through 429s, 503s, dropped connections and answers that do not come',
    async () => {
      await load('faulty', contractCollection, 'anserini', 2);
      const faults: Answer[] = [{ status: 429, json: {} }, { status: 503, json: {} }, 'drop', 'never'];
      const met: Answer[] = [];
      const proxy = await loopback(async (asked, count) => {
        // Every second call of a search fails, each time in another way.
        if (asked.path.includes('_') && count % 2 === 0) {
          met.push(faults[met.length % faults.length]);
          return met.at(-1)!;
        }
        return passOn(server.url, asked);
      });
      const shaken = await EngineConnection.open({
        engine: 'opensearch',
        urls: [proxy.url],
        timeoutMs: 3000,
        retry: { attempts: 9, firstPauseMs: 10 },
      });
      const query = { id: 'q', text: 'stones beside the river' };
      const through = async (over: EngineConnection) => {
        const retriever = new EngineRetriever(await EngineIndex.open(over, 'faulty'), {
          model: new Dph(),
          feedback: new DivergenceFeedback(KL),
        });
        const ranking = await retriever.search(query);
        await retriever.close();
        return ranking;
      };
      const expected = await through(connection);
      expect(expected.length).toBeGreaterThan(0);
      expect(await through(shaken)).toEqual(expected);
      expect(new Set(met)).toEqual(new Set(faults));
      await shaken.close();
    },
    5 * minutes,
  );

  it(
    'does not search past a shard that is lost',
    async () => {
      await load('lost', contractCollection, 'anserini', 3);
      const { uuid } = (
        await connection.call(
          { method: 'GET', path: '/lost/_settings' },
          object({ lost: object({ settings: object({ index: object({ uuid: text }) }) }) }),
        )
      ).lost.settings.index;
      const impatient = await EngineConnection.open({
        engine: 'opensearch',
        urls: [server.url],
        // Enough for the other shards to come back.
        retry: { attempts: 9 },
      });
      const query = { id: 'q', text: 'stones beside the river' };
      const open = async () => new EngineRetriever(await EngineIndex.open(impatient, 'lost'));
      const opened = await open();
      expect(await opened.search(query)).toHaveLength(40);
      await server.kill();
      rmSync(join(server.data, 'data/nodes/0/indices', uuid, '0'), { recursive: true });
      await server.start({ isWhole: false });
      const states = async () => (await fetch(`${server.url}/_cat/shards/lost?h=state`)).text();
      await expect
        .poll(async () => (await states()).trim().split(/\s+/).toSorted(), { timeout: minutes })
        .toEqual(['STARTED', 'STARTED', 'UNASSIGNED']);
      const refused = {
        code: 'failure',
        message: expect.stringContaining('1 of 3 shards of lost cannot be searched') as string,
      };
      // Both a retriever that has statistics and a view, and a new one.
      await expect(opened.search(query)).rejects.toMatchObject(refused);
      await expect(open().then((retriever) => retriever.search(query))).rejects.toMatchObject(refused);
      await impatient.close();
      await connection.act({ method: 'DELETE', path: '/lost' });
      await connection.act({
        method: 'GET',
        path: '/_cluster/health',
        query: { wait_for_status: 'yellow' },
      });
    },
    5 * minutes,
  );

  it(
    'loses nothing when the node is killed during a load and during a search',
    async () => {
      const count = 3000;
      const documents = async function* () {
        for (let i = 0; i < count; i++) yield { id: `d${i}`, text: `stone ${i} of the river ${i % 17}` };
      };
      let kills = 0;
      let restart: Promise<unknown> = Promise.resolve();
      const analyzer = createAnalyzer({ base: 'plain' }).spec;
      await loadEngineIndex(documents, {
        connection,
        index: 'killed',
        analyzer,
        batchDocuments: 100,
        onProgress: (done) => {
          if (kills > 0 || done < 1000) return;
          kills++;
          restart = server.kill().then(() => server.start());
        },
      });
      await restart;
      expect(kills).toBe(1);
      const { count: found } = await connection.call(
        { method: 'GET', path: '/killed/_count' },
        object({ count: number }),
      );
      expect(found).toBe(count);
      const retriever = new EngineRetriever(await EngineIndex.open(connection, 'killed'), {
        model: new Bm25(),
      });
      const query = { id: 'q', text: 'stone 1234 river 7' };
      const expected = await retriever.search(query, { depth: 50 });
      await server.kill();
      const during = retriever.search(query, { depth: 50 });
      await server.start();
      expect(await during).toEqual(expected);
    },
    10 * minutes,
  );
});
