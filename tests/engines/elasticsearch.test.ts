import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocuments, type Document, type Ranking } from '../../src/collection/index.js';
import { EngineConnection, EngineIndex, EngineRetriever, loadEngineIndex } from '../../src/remote/index.js';
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
  stopwordsOf,
  type SearcherOptions,
} from '../../src/retrieval/index.js';
import { contractDocuments, retrieverContract } from '../contracts/retriever.js';
import { loopback, type Answer, type Asked } from '../remote/support/loopback.js';
import { collectionPath, hasCollections } from '../support/shared.js';
import { passOn } from './support/gateway.js';
import { expectParity } from './support/parity.js';
import { engineFolder, searchEngine, withoutEngine } from './support/services.js';

const isThere = engineFolder('elasticsearch') !== undefined;
const minutes = 60_000;
const demo = fileURLToPath(new URL('../../demo', import.meta.url));

/** The bare server has neither a script language nor stemmers: words in lower case, without stop words. */
const stopwords = stopwordsOf(createAnalyzer({ base: 'anserini' }).spec);
const analyzer = createAnalyzer({ base: 'plain', stopwords });

async function* contractCollection() {
  yield* contractDocuments;
}

async function* brokenCollection() {
  yield contractDocuments[0];
  throw new Error('the disk is gone');
}

function connect(url: string, options = {}): Promise<EngineConnection> {
  return EngineConnection.open({ engine: 'elasticsearch', urls: [url], ...options });
}

const bm25 = new Bm25({ lengthNorm: 'lucene' });
const ql = new QueryLikelihood({ lengthNorm: 'lucene' });
const models: Readonly<Record<string, SearcherOptions>> = {
  BM25: { model: bm25 },
  QL: { model: ql },
  'BM25 with RM3': { model: bm25, feedback: new Rm3() },
  'QL with RM3': { model: ql, feedback: new Rm3() },
  'BM25 with KL': { model: bm25, feedback: new DivergenceFeedback(KL) },
  'BM25 with Bo1': { model: bm25, feedback: new DivergenceFeedback(Bo1) },
};

async function searchFaulty(connection: EngineConnection): Promise<Ranking> {
  const retriever = new EngineRetriever(await EngineIndex.open(connection, 'faulty'), models['BM25 with KL']);
  const ranking = await retriever.search({ id: 'q', text: 'stones beside the river' });
  await retriever.close();
  return ranking;
}

describe.skipIf(!isThere)(
  isThere ? 'Elasticsearch without scripts' : `Elasticsearch ${withoutEngine('elasticsearch')}`,
  () => {
    const server = searchEngine('elasticsearch', 19_320);
    const folders: string[] = [];
    let connection: EngineConnection;
    // The bare server lacks the module that answers GET /; its version is told by another call.
    const answerOf = async (asked: Asked): Promise<Answer> => {
      if (asked.method !== 'GET' || asked.path !== '/') return passOn(server.url, asked);
      const answer = await fetch(`${server.url}/_nodes/_local`);
      const { nodes } = (await answer.json()) as { nodes: Record<string, { version: string }> };
      return {
        json: { version: { number: Object.values(nodes)[0].version } },
        headers: { 'x-elastic-product': answer.headers.get('x-elastic-product') },
      };
    };
    beforeAll(async () => {
      await server.start();
      connection = await connect((await loopback(answerOf)).url);
    }, 6 * minutes);
    afterAll(async () => {
      await connection?.close();
      await server.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }, minutes);

    async function load(name: string, documents: () => AsyncIterable<Document>, shards = 2) {
      const { spec } = analyzer;
      await loadEngineIndex(documents, { connection, index: name, analyzer: spec, scripts: false, shards });
      return EngineIndex.open(connection, name);
    }

    for (const [label, model] of Object.entries({ BM25: bm25, QL: ql })) {
      retrieverContract(`Elasticsearch with ${label}`, async () => {
        const store = await load(`contract-${label.toLowerCase()}`, contractCollection, 3);
        const retriever = new EngineRetriever(store, { model });
        return { retriever, store, close: () => retriever.close() };
      });
    }

    describe.each(['demo', 'cranfield'])('on %s', (name) => {
      const folder = name === 'demo' ? demo : collectionPath(name);
      const isHere = name === 'demo' || hasCollections;
      let local: Index;
      let remote: EngineIndex;
      beforeAll(async () => {
        if (!isHere) return;
        const target = mkdtempSync(join(tmpdir(), 'bert-qe-test-'));
        folders.push(target);
        await buildIndex(readDocuments(folder), { folder: target, analyzer });
        local = Index.open(target);
        remote = await load(name, () => readDocuments(folder));
      }, 5 * minutes);
      afterAll(async () => local?.close());

      it.skipIf(!isHere)('makes the terms that our analyzer makes', async () => {
        const { documents, nonEmptyDocuments, tokens, maxLength } = local.statistics;
        expect(remote.statistics).toEqual({ documents, nonEmptyDocuments, tokens, maxLength });
        // The lengths are counted here; the server counts the terms that it has indexed.
        expect(await remote.terms.ofField()).toEqual({ documents: nonEmptyDocuments, tokens });
      });

      it.skipIf(!isHere).each(Object.keys(models))(
        'ranks by %s as the embedded index does',
        async (label) => {
          const there = new EngineRetriever(remote, models[label]);
          await expectParity(folder, new Searcher(local, models[label]), there);
          await there.close();
        },
        5 * minutes,
      );
    });

    it('refuses a model that needs scripts before the first query', async () => {
      const index = await load('scriptless', contractCollection);
      for (const model of [new Dph(), new Bm25(), new QueryLikelihood()]) {
        expect(() => new EngineRetriever(index, { model })).toThrow(
          /^The index scriptless was made without scripts, which \S.* needs there: use --model bm25 or ql/,
        );
      }
    });

    it('refuses to go on with a load that was begun without scripts', async () => {
      const options = { connection, index: 'begun', analyzer: analyzer.spec, scripts: false };
      await expect(loadEngineIndex(brokenCollection, options)).rejects.toThrow('the disk is gone');
      await expect(loadEngineIndex(contractCollection, { ...options, scripts: true })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('begun with other settings'),
      });
      const { statistics } = await loadEngineIndex(contractCollection, options);
      expect(statistics.documents).toBe(contractDocuments.length);
    });

    it('says in one line that the server has no scripts, or not the analyzer', async () => {
      const options = { connection, index: 'refused', analyzer: analyzer.spec };
      await expect(loadEngineIndex(contractCollection, options)).rejects.toMatchObject({
        code: 'failure',
        message: expect.stringMatching(/^PUT \/refused: 400 .*(script|painless).*$/i),
      });
      const terrier = createAnalyzer({ base: 'terrier' }).spec;
      await expect(
        loadEngineIndex(contractCollection, { ...options, analyzer: terrier, scripts: false }),
      ).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('analyzer terrier') });
    });

    it(
      'ranks the same through 429s, 503s, dropped connections and answers that do not come',
      async () => {
        await load('faulty', contractCollection);
        const faults: Answer[] = [{ status: 429, json: {} }, { status: 503, json: {} }, 'drop', 'never'];
        const met: Answer[] = [];
        const proxy = await loopback(async (asked, count) => {
          if (asked.path.includes('_') && count % 2 === 0) {
            met.push(faults[met.length % faults.length]);
            return met.at(-1)!;
          }
          return answerOf(asked);
        });
        const shaken = await connect(proxy.url, {
          timeoutMs: 3000,
          retry: { attempts: 9, firstPauseMs: 10 },
        });
        const expected = await searchFaulty(connection);
        expect(expected.length).toBeGreaterThan(0);
        expect(await searchFaulty(shaken)).toEqual(expected);
        expect(new Set(met)).toEqual(new Set(faults));
        await shaken.close();
      },
      5 * minutes,
    );
  },
);
