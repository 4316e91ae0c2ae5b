import fc from 'fast-check';
import type { Qrels, Run } from '../../../src/collection/index.js';

/** A run of one query, best first. */
export function ranking(...ids: string[]): Run {
  return new Map([['1', ids.map((id, i) => ({ id, score: ids.length - i }))]]);
}

/** Judgements of the one query. */
export function judgements(levels: Readonly<Record<string, number>>): Qrels {
  return new Map([['1', new Map(Object.entries(levels))]]);
}

const documentIds = fc.constantFrom(...Array.from({ length: 40 }, (_, i) => `d${i}`));
const scores = fc.integer({ min: -3, max: 8 }).map((score) => score / 2);

/** Up to six queries with judgements from -1 to 3 and scores that often tie. */
export const collections: fc.Arbitrary<{ run: Run; qrels: Qrels }> = fc
  .dictionary(
    fc.constantFrom('1', '2', '3', '10', 'q', 'é'),
    fc.record({
      judged: fc.uniqueArray(fc.tuple(documentIds, fc.integer({ min: -1, max: 3 })), {
        selector: ([id]) => id,
        minLength: 1,
      }),
      retrieved: fc.uniqueArray(fc.tuple(documentIds, scores), { selector: ([id]) => id, minLength: 1 }),
    }),
    { minKeys: 1 },
  )
  .map((queries) => ({
    run: new Map(
      Object.entries(queries).map(([id, { retrieved }]) => [
        id,
        retrieved.map(([id, score]) => ({ id, score })),
      ]),
    ),
    qrels: new Map(Object.entries(queries).map(([id, { judged }]) => [id, new Map(judged)])),
  }));
