import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  readDocuments,
  readQrels,
  readQueries,
  type Query,
  type Ranking,
} from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
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
  sumByTerm,
  type SearcherOptions,
} from '../../src/retrieval/index.js';
import { temporaryFolder } from '../support/folders.js';
import { collectionPath, describeWithCollections } from '../support/shared.js';

/**
 * Parity with Terrier 5.11 and Anserini 1.5.0: their own rankings, scores, expanded queries and statistics, made by
 * `bash scripts/peers/run.sh WORKDIR` (tests/fixtures/peers/README.md says what was run and found).
 */
const fixtures = fileURLToPath(new URL('../fixtures/peers/', import.meta.url));
const folder = temporaryFolder();

type Peer = 'terrier' | 'anserini';

/** The peers' runs by name, and how we ask for the same. */
const systems: Record<Peer, Record<string, SearcherOptions>> = {
  terrier: {
    dph: { model: new Dph() },
    'dph-kl': { feedback: new DivergenceFeedback(KL) },
    'dph-bo1': { feedback: new DivergenceFeedback(Bo1) },
    'dph-kl-d10t20': { feedback: new DivergenceFeedback(KL, { documents: 10, terms: 20 }) },
    'dph-kl-rocchio': { feedback: new DivergenceFeedback(KL, { rocchioBeta: 0.4 }) },
  },
  anserini: {
    bm25: { model: new Bm25({ lengthNorm: 'lucene' }) },
    'bm25-exact': { model: new Bm25() },
    'bm25-rm3': { model: new Bm25({ lengthNorm: 'lucene' }), feedback: new Rm3() },
    'bm25-rm3-exact': { model: new Bm25(), feedback: new Rm3() },
    ql: { model: new QueryLikelihood({ lengthNorm: 'lucene' }) },
    'ql-exact': { model: new QueryLikelihood() },
    'ql-rm3': { model: new QueryLikelihood({ lengthNorm: 'lucene' }), feedback: new Rm3() },
    'ql-rm3-exact': { model: new QueryLikelihood(), feedback: new Rm3() },
  },
};

/** DPH within 1e-4 of Terrier's doubles; Lucene computes in floats. */
const tolerance: Record<Peer, number> = { terrier: 1e-4, anserini: 1e-3 };

const unzipped = (path: string) => gunzipSync(readFileSync(join(fixtures, path))).toString('utf8');

interface Statistics {
  readonly documents: number;
  readonly tokens: number;
  readonly averageLength: number;
  readonly postings: number;
  readonly sample: Record<string, { df: number; cf: number }>;
}

async function indexWith(peer: Peer, corpus: string, name: string): Promise<Index> {
  const at = join(folder, `${name}-${peer}`);
  await buildIndex(readDocuments(corpus), { folder: at, analyzer: createAnalyzer({ base: peer }) });
  return Index.open(at);
}

/** Our scores of the peer's top documents must be the peer's; equal scores may come in another order. */
function expectSameRanking(
  ours: Ranking,
  theirs: readonly [string, number][],
  peer: Peer,
  query: string,
): void {
  const scores = new Map(ours.map(({ id, score }) => [id, score]));
  for (const [rank, [id, score]] of theirs.entries()) {
    const found = scores.get(id);
    const where = `query ${query}, document ${id}`;
    expect(found, `${where} is missing`).toBeDefined();
    expect(Math.abs(found! - score), `${where}: ${found} against ${score}`).toBeLessThan(tolerance[peer]);
    expect(Math.abs(ours[rank].score - score), `query ${query}, rank ${rank + 1}`).toBeLessThan(
      tolerance[peer],
    );
  }
}

function expectStatistics(index: Index, peer: Peer, theirs: Statistics): void {
  const { statistics } = index;
  // Lucene does not index empty documents; we count them, as Terrier does.
  expect(peer === 'terrier' ? statistics.documents : statistics.nonEmptyDocuments).toBe(theirs.documents);
  expect(statistics.tokens).toBe(theirs.tokens);
  expect(statistics.postings).toBe(theirs.postings);
  for (const [term, { df, cf }] of Object.entries(theirs.sample)) {
    expect(index.term(term), term).toMatchObject({ documentFrequency: df, collectionFrequency: cf });
  }
}

function expectSameTerms(searcher: Searcher, query: Query, theirs: readonly [string, number][]): void {
  const weights = sumByTerm(searcher.terms(query.text));
  const expected = sumByTerm(theirs.map(([term, weight]) => ({ term, weight })));
  expect([...weights.keys()].sort(), `terms of query ${query.id}`).toEqual([...expected.keys()].sort());
  for (const [term, weight] of expected)
    expect(weights.get(term), `${query.id}: ${term}`).toBeCloseTo(weight, 5);
}

/** True where the first ranking has equal scores on both sides of the cut after `documents`. */
function tiesAt(index: Index, query: Query, documents: number): boolean {
  const first = new Searcher(index);
  const ranking = first.searchTerms(first.terms(query.text), { depth: documents + 1 });
  return (
    ranking.length > documents && Math.abs(ranking[documents].score - ranking[documents - 1].score) < 1e-6
  );
}

interface Expansion {
  readonly peer: Peer;
  readonly collection: string;
  readonly model: string;
  readonly id: string;
  readonly terms: [string, number][];
}

describe('the tiny collection of the project', () => {
  const expected = JSON.parse(unzipped('tiny/expected.json.gz')) as {
    undecided: Record<string, string[]>;
    expansions: Expansion[];
  } & Record<
    Peer,
    {
      statistics: Statistics;
      documents: Record<string, string[]>;
      runs: Record<string, Record<string, [string, number][]>>;
    }
  >;

  describe.each(['terrier', 'anserini'] as const)('beside %s', (peer) => {
    let index: Index;
    let queries: Query[];
    beforeAll(async () => {
      index = await indexWith(peer, join(fixtures, 'tiny/corpus.jsonl'), 'tiny');
      queries = await readQueries(join(fixtures, 'tiny/queries.jsonl'));
    });

    test('has its statistics and its tokens', () => {
      expectStatistics(index, peer, expected[peer].statistics);
      for (const [id, terms] of Object.entries(expected[peer].documents)) {
        const { title, text } = index.document(index.documentNumber(id)!);
        expect(index.analyzer.analyze(title ? `${title} ${text}` : text)).toEqual(terms);
      }
    });

    test.each(Object.keys(systems[peer]))(
      '%s: the same documents, scores and weighted terms',
      async (model) => {
        const searcher = new Searcher(index, systems[peer][model]);
        const undecided = new Set(expected.undecided[model]);
        for (const query of queries.filter(({ id }) => !undecided.has(id))) {
          const theirs = expected[peer].runs[model][query.id] ?? [];
          const ours = await searcher.search(query);
          // Terrier also retrieves documents that match only weightless expansion terms, with score 0: we do not.
          const scored = theirs.filter(([, score]) => score !== 0);
          expectSameRanking(ours, scored, peer, query.id);
          expect(ours.filter(({ score }) => Math.abs(score) > 1e-6)).toHaveLength(scored.length);
        }
        const expansions = expected.expansions.filter((row) => row.peer === peer && row.model === model);
        for (const { id, terms } of expansions.filter((row) => !undecided.has(row.id))) {
          expectSameTerms(
            searcher,
            queries.find((query) => query.id === id)!,
            terms,
          );
        }
      },
    );
  });
});

describeWithCollections('Cranfield and NPL', () => {
  interface PeerFigures {
    readonly statistics: Statistics;
    readonly models: Record<string, Record<string, number>>;
  }
  const figures = JSON.parse(readFileSync(join(fixtures, 'figures.json'), 'utf8')) as {
    collections: Record<string, { undecided: Record<string, string[]> } & Record<Peer, PeerFigures>>;
  };
  const expansions = unzipped('expansions.jsonl.gz')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Expansion);

  describe.each(['cranfield', 'npl'])('%s', (name) => {
    describe.each(['terrier', 'anserini'] as const)('beside %s', (peer) => {
      let index: Index;
      let queries: Query[];
      const { [peer]: theirs, undecided: undecidedByModel } = figures.collections[name];
      beforeAll(async () => {
        index = await indexWith(peer, collectionPath(`${name}/corpus.jsonl`), name);
        queries = await readQueries(collectionPath(`${name}/queries.jsonl`));
      });

      test('has its statistics', () => expectStatistics(index, peer, theirs.statistics));

      test.each(Object.keys(systems[peer]))('%s: scores, weighted terms and effectiveness', async (model) => {
        const searcher = new Searcher(index, systems[peer][model]);
        const undecided = new Set(undecidedByModel[model]);
        const run = new Map<string, Ranking>();
        for (const query of queries) run.set(query.id, await searcher.search(query));

        const rows = unzipped(`${peer}/${name}.${model}.tsv.gz`).trimEnd().split('\n');
        const ranked = new Map<string, [string, number][]>();
        for (const row of rows) {
          const [query, id, score] = row.split('\t');
          ranked.set(query, [...(ranked.get(query) ?? []), [id, Number(score)]]);
        }
        // Documents tied at the edge of the feedback set: Terrier takes the first indexed, we the smaller id.
        for (const query of queries) {
          if (searcher.feedback && peer === 'terrier' && tiesAt(index, query, searcher.feedback.documents)) {
            undecided.add(query.id);
          }
        }
        expect(undecided.size).toBeLessThan(6);
        for (const [query, ranking] of ranked) {
          if (!undecided.has(query)) expectSameRanking(run.get(query)!, ranking, peer, query);
        }
        for (const { id, terms, ...row } of expansions) {
          if (row.peer !== peer || row.collection !== name || row.model !== model || undecided.has(id))
            continue;
          expectSameTerms(
            searcher,
            queries.find((query) => query.id === id)!,
            terms,
          );
        }

        const qrels = await readQrels(collectionPath(`${name}/qrels.txt`));
        const { summary } = evaluate(run, qrels, { measures: ['P@20', 'nDCG@20', 'AP'], complete: true });
        for (const [measure, value] of Object.entries(theirs.models[model])) {
          const ours = summary.get(measure)!;
          expect(Math.abs(ours - value), `${measure}: ${ours} against ${value}`).toBeLessThan(0.003);
        }
      });
    });
  });
});
