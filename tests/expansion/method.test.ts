import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseArbitrary, libraryOf, naiveOf, query } from './cases.js';

describe('the method, against a naive implementation of the equations', () => {
  test('gives the same ranking and scores on random collections, options and models', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary(), async (testCase) => {
        const expected = naiveOf(testCase);
        const { results, complete } = await libraryOf(testCase).bertQe.rerank(query, testCase.documents);
        expect(complete).toBe(true);
        expect(new Set(results.map(({ index }) => index)).size).toBe(expected.length);
        const naiveScore = new Map(expected.map(({ index, score }) => [index, score]));
        const wrong = results.filter(({ index, id, score, rank, certain }, i) => {
          const hasItsScore = Math.abs(score - naiveScore.get(index)!) < 1e-5;
          // The same place, unless the two scores there are equal but for rounding.
          const hasItsPlace = Math.abs(naiveScore.get(index)! - expected[i].score) < 1e-9;
          const isItself = id === testCase.documents[index].id && rank === i + 1 && certain;
          return !(hasItsScore && hasItsPlace && isItself);
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });
});
