import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BertQE } from '../../src/expansion/index.js';
import { caseArbitrary, libraryOf, query } from './cases.js';
import { FakeScorer, hashToUnit } from './fake-scorer.js';

/** A clock that moves only when a scorer works: a millisecond per pair. */
let now = 0;

class TimedScorer extends FakeScorer {
  override async score(...[pairs, options]: Parameters<FakeScorer['score']>) {
    now += pairs.length;
    return super.score(pairs, options);
  }
}

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

const documents = Array.from({ length: 120 }, (_, i) => ({
  id: `d${String(i).padStart(3, '0')}`,
  text: Array.from({ length: 12 + (i % 9) }, (_, word) => `w${i}-${word}`).join(' '),
  score: 12 - i / 10,
}));

const model = (salt: string) => new TimedScorer((a, b) => hashToUnit(salt + a + b) ** 3);

function timed(options = {}) {
  return new BertQE(
    { bestPassage: model('p'), phaseOne: model('1'), phaseTwo: model('2'), phaseThree: model('3') },
    { passageWords: 12, chunkWords: 4, kd: 4, roundPairs: 32, ...options },
  );
}

describe('a deadline', () => {
  test('that is never reached changes nothing', async () => {
    const unlimited = await timed().rerank(query, documents);
    const limited = await timed().rerank(query, documents, { deadline: 1e9 });
    expect(limited.results).toEqual(unlimited.results);
    expect(limited.complete).toBe(true);
  });

  test('is kept to within a round, whichever phase it falls into', async () => {
    const { cost } = await timed().rerank(query, documents);
    for (let deadline = 0; deadline < cost.pairs; deadline += 37) {
      const start = now;
      const { results, complete } = await timed().rerank(query, documents, { deadline });
      expect(now - start).toBeLessThan(deadline + 34);
      expect(complete).toBe(false);
      expect(new Set(results.map(({ id }) => id)).size).toBe(documents.length);
      for (let i = 1; i < results.length; i++) {
        expect(results[i].score).toBeLessThanOrEqual(results[i - 1].score);
      }
    }
  });

  test('of zero returns the initial order, and calls no place certain', async () => {
    const { results, cost, complete } = await timed().rerank(query, documents, { deadline: 0 });
    expect(results.map(({ id }) => id)).toEqual(documents.map(({ id }) => id));
    expect(results.some(({ certain }) => certain)).toBe(false);
    expect(results.some(({ relevance }) => relevance !== undefined)).toBe(false);
    expect([cost.pairs, complete]).toEqual([0, false]);
  });

  test('calls a place certain only when the complete run has the same document there', async () => {
    let certain = 0;
    await fc.assert(
      fc.asyncProperty(
        caseArbitrary(30),
        fc.integer({ min: 0, max: 300 }),
        fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }),
        async (testCase, deadline, topK) => {
          const complete = await libraryOf(testCase).bertQe.rerank(query, testCase.documents);
          const { bertQe, scorers } = libraryOf(testCase, { roundPairs: 8 });
          for (const scorer of new Set(Object.values(scorers))) {
            const { score } = scorer;
            scorer.score = (pairs, options) => {
              now += pairs.length;
              return score.call(scorer, pairs, options);
            };
          }
          now = 0;
          const cut = await bertQe.rerank(query, testCase.documents, {
            deadline,
            ...(topK === undefined ? {} : { topK }),
          });
          expect(cut.results.length).toBe(Math.min(topK ?? Infinity, complete.results.length));
          cut.results.forEach((place, i) => {
            if (!place.certain) return;
            certain++;
            expect(place.index).toBe(complete.results[i].index);
          });
          if (cut.complete) expect(cut.results).toEqual(complete.results.slice(0, topK));
        },
      ),
      { numRuns: 1500 },
    );
    expect(certain).toBeGreaterThan(1000);
  });
});
