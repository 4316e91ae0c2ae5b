import { expect } from 'vitest';
import { readQrels, readQueries, type Ranking, type Retriever } from '../../../src/collection/index.js';
import { evaluate } from '../../../src/evaluation/index.js';

/** Expects a server to rank the queries of a collection as the embedded index does. */
export async function expectParity(
  folder: string,
  here: Retriever,
  there: Retriever,
  count?: number,
): Promise<void> {
  const queries = (await readQueries(`${folder}/queries.jsonl`)).slice(0, count);
  const qrels = await readQrels(`${folder}/qrels.txt`);
  const [mine, theirs] = [new Map<string, Ranking>(), new Map<string, Ranking>()];
  for (const query of queries) {
    const expected = await here.search(query, { depth: 100 });
    const found = await there.search(query, { depth: 100 });
    // The server's scores are floats of four bytes: documents closer than that may change places.
    const scores = new Map(expected.map(({ id, score }) => [id, score]));
    found.forEach(({ id, score }, i) => {
      expect(Math.abs(score - (scores.get(id) ?? expected.at(-1)!.score))).toBeLessThan(1e-4);
      expect(Math.abs(score - expected[i].score)).toBeLessThan(1e-4);
    });
    expect(found).toHaveLength(expected.length);
    mine.set(query.id, expected);
    theirs.set(query.id, found);
  }
  const [a, b] = [mine, theirs].map((run) =>
    evaluate(run, qrels, { measures: ['nDCG@20'] }).summary.get('nDCG@20')!,
  );
  expect(Math.abs(a - b)).toBeLessThan(0.005);
}
