import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Document, DocumentStore, QueryRanking } from '../../src/collection/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { rerankRun, type RerankedQuery } from '../../src/runs/index.js';
import { FakeScorer, hashToUnit } from '../expansion/fake-scorer.js';

/** A store that makes its documents up and remembers what was fetched. */
class MadeUpStore implements DocumentStore {
  readonly fetched: string[] = [];
  constructor(private readonly text: (id: string) => string = (id) => `text of ${id}`) {}

  async get(ids: readonly string[]): Promise<Map<string, Document>> {
    this.fetched.push(...ids);
    return new Map(ids.filter((id) => !id.startsWith('gone')).map((id) => [id, { id, text: this.text(id) }]));
  }
}

const ranking = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `d${i}`, score: count - i }));
const scorer = () => new FakeScorer((a, b) => hashToUnit(a + b));

async function all(run: AsyncIterable<RerankedQuery>): Promise<RerankedQuery[]> {
  const found: RerankedQuery[] = [];
  for await (const query of run) found.push(query);
  return found;
}

describe('a run', () => {
  const queries = [
    { id: 'q1', text: 'first query' },
    { id: 'q2', text: 'second query' },
  ];

  test('is re-ranked query by query, as rerank does it', async () => {
    const bertQe = new BertQE({ phaseOne: scorer() });
    const store = new MadeUpStore();
    const run = new Map([
      ['q2', ranking(5)],
      ['q1', ranking(3)],
    ]);
    const results = await all(rerankRun(bertQe, queries, run, store, { explain: true }));
    expect(results.map(({ query }) => query.id)).toEqual(['q2', 'q1']);
    const documents = ranking(5).map(({ id, score }) => ({ id, text: `text of ${id}`, score }));
    const alone = await bertQe.rerank('second query', documents);
    expect(results[0].results).toEqual(alone.results);
    expect(results[0].ranking).toEqual(alone.results.map(({ id, score }) => ({ id, score })));
    expect(results[0].explanation?.id).toBe('q2');
  });

  test('fetches only documents above the depth', async () => {
    const store = new MadeUpStore();
    const run = new Map([['q1', ranking(8)]]);
    const bertQe = new BertQE({ phaseOne: scorer() }, { depth: 3 });
    const [{ ranking: reranked }] = await all(rerankRun(bertQe, queries, run, store));
    expect(store.fetched).toEqual(['d0', 'd1', 'd2']);
    expect(reranked.map(({ id }) => id).slice(3)).toEqual(['d3', 'd4', 'd5', 'd6', 'd7']);
  });

  test('with a query that nobody knows, or a document that is not there, is refused', async () => {
    const bertQe = new BertQE({ phaseOne: scorer() });
    const unknown = rerankRun(bertQe, queries, new Map([['q9', ranking(1)]]), new MadeUpStore());
    await expect(all(unknown)).rejects.toMatchObject({ code: 'missing', message: /query "q9"/ });
    const gone = new Map([['q1', [{ id: 'gone1', score: 1 }]]]);
    await expect(all(rerankRun(bertQe, queries, gone, new MadeUpStore()))).rejects.toMatchObject({
      code: 'missing',
      message: /Document "gone1", ranked for query "q1"/,
    });
  });

  test('needs no more memory for many queries than for few', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    // Large texts, so that data of a query that is kept by mistake shows.
    const bertQe = new BertQE({ phaseOne: new FakeForgetful() }, { kc: 2, kd: 2 });
    const many = Array.from({ length: 300 }, (_, i) => ({ id: `q${i}`, text: `query ${i}` }));
    const store = new MadeUpStore((id) => `${id} ${'many words '.repeat(2000)}`);
    async function* rankings(): AsyncGenerator<QueryRanking> {
      for (const [i, { id }] of many.entries()) {
        yield { query: id, ranking: [0, 1, 2].map((d) => ({ id: `d${i}-${d}`, score: -d })) };
      }
    }
    const used: number[] = [];
    for await (const { query } of rerankRun(bertQe, many, rankings(), store)) {
      if (Number(query.id.slice(1)) % 50 !== 49) continue;
      collectGarbage();
      used.push(process.memoryUsage().heapUsed / 1e6);
    }
    // 50 queries bring 150 documents of 22 kB and their passages; kept, they would add more than 3 MB each time.
    expect(Math.max(...used.slice(1)) - used[0]).toBeLessThan(3);
  });
});

class FakeForgetful extends FakeScorer {
  constructor() {
    super((a, b) => hashToUnit(a + b));
  }

  override async score(...input: Parameters<FakeScorer['score']>): Promise<Float32Array> {
    const scores = await super.score(...input);
    this.asked.length = 0;
    return scores;
  }
}
