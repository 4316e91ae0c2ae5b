import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ranking } from '../../src/collection/index.js';
import {
  choose,
  publishedAlphas,
  publishedBetas,
  tuneInterpolation,
  Validation,
  type InterpolatedRanker,
} from '../../src/evaluation/tuning.js';

const documents = ['a', 'b', 'c', 'd', 'e'];

/** One relevant document per query. */
const qrelsOf = (relevant: Record<string, string>) =>
  new Map(
    Object.entries(relevant).map(([query, document]) => [
      query,
      new Map(documents.map((id) => [id, Number(id === document)])),
    ]),
  );

/** Puts `first` on top. */
const topped = (first: string): Ranking =>
  [first, ...documents.filter((id) => id !== first)].map((id, i) => ({ id, score: 10 - i }));

/** The first document for half of the queries; for v0 another at the first place, or more documents. */
const ofHalf = (name: 'higher' | 'longer') => (query: string) => {
  if (query === 'v0') return name === 'higher' ? topped('a').slice(0, 1) : topped('b');
  return topped(Number(query.slice(1)) % 2 === 0 ? 'a' : 'b').slice(0, 1);
};

const fold = { valid: ['v1', 'v2'] };
const qrels = qrelsOf({ v1: 'a', v2: 'b', t1: 'c', t2: 'd' });

describe('grid search', () => {
  test('takes the best measure on the validation queries', () => {
    const { parameters, value } = choose(
      Validation.of(fold, qrels),
      ['c', 'b', 'a'],
      (first) => (query) => topped(query === 'v1' ? first : 'b'),
    );
    expect([parameters, value]).toEqual(['a', 1]);
  });

  test('lets the tie-break decide between values that differ by no more than the tolerance', () => {
    // Both find the document at the same place among the first; AP@5 sees it, P@5 does not tell them apart.
    const rankers: Record<string, Ranking> = { low: topped('c'), high: topped('a'), late: topped('a') };
    const only = Validation.of({ valid: ['v1'] }, qrels);
    const choice = choose(only, ['low', 'high', 'late'], (name) => () => rankers[name], {
      measure: 'P@5',
      tieBreak: 'AP@5',
    });
    expect(choice).toEqual({ parameters: 'high', value: 0.2, tieBreakValue: 1 });
  });

  test('does not let the tie-break overrule a difference beyond the tolerance', () => {
    const rankers: Record<string, Ranking> = { first: topped('a'), second: topped('b') };
    const only = Validation.of({ valid: ['v1'] }, qrels);
    const rank = (name: string) => () => rankers[name];
    const options = { measure: 'nDCG@20', tieBreak: 'NumRet' };
    expect(choose(only, ['second', 'first'], rank, options).parameters).toBe('first');
    expect(choose(only, ['second', 'first'], rank, { ...options, tolerance: 1 }).parameters).toBe('second');
  });

  test('compares as many decimals as asked for: four, as trec_eval prints them', () => {
    // One query of 40,000 differs: .5 against .499975, which both are .5000; the other ranks more documents.
    const many = Array.from({ length: 40_000 }, (_, i) => `v${i}`);
    const judged = new Map(many.map((id) => [id, new Map([['a', 1]])]));
    const all = Validation.of({ valid: many }, judged);
    const options = { measure: 'P@1', tieBreak: 'NumRet' };
    const of = (decimals?: number) =>
      choose(all, ['longer', 'higher'] as const, ofHalf, { ...options, decimals });
    expect(of().parameters).toBe('higher');
    expect(of(4)).toMatchObject({ parameters: 'longer', value: 0.5 });
  });

  test('counts a validation query without any ranking as zero', () => {
    const { value } = choose(
      Validation.of(fold, qrels),
      [1],
      () => (query) => (query === 'v1' ? topped('a') : []),
    );
    expect(value).toBe(0.5);
  });
});

describe('tuning α and β', () => {
  /** Finds the document when α is 0.3, and keeps it only when β is 0.7. */
  const ranker: InterpolatedRanker = {
    combined: (query, alpha) => topped(alpha === 0.3 ? (query === 'v1' ? 'a' : 'b') : 'e'),
    interpolated: (query, { alpha, beta }) =>
      topped(alpha === 0.3 && beta === 0.7 ? (query === 'v1' ? 'a' : 'b') : alpha === 0.9 ? 'a' : 'e'),
  };

  test('uses the published grids', () => {
    expect(publishedAlphas).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
    expect(publishedBetas).toEqual([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
  });

  test('chooses α before interpolation, then β with that α', () => {
    const asked: string[] = [];
    const spy: InterpolatedRanker = {
      combined: (query, alpha) => (asked.push(`α ${alpha}`), ranker.combined(query, alpha)),
      interpolated: (query, both) => (
        asked.push(`${both.alpha} ${both.beta}`),
        ranker.interpolated(query, both)
      ),
    };
    const { parameters } = tuneInterpolation(Validation.of(fold, qrels), spy);
    expect(parameters).toEqual({ alpha: 0.3, beta: 0.7 });
    const firstBeta = asked.findIndex((entry) => !entry.startsWith('α'));
    expect(asked.slice(0, firstBeta).every((entry) => entry.startsWith('α'))).toBe(true);
    expect(asked.slice(firstBeta).every((entry) => entry.startsWith('0.3 '))).toBe(true);
  });

  test('jointly tries every pair on the final ranking', () => {
    const asked = new Set<string>();
    const { parameters } = tuneInterpolation(
      Validation.of(fold, qrels),
      {
        combined: () => expect.unreachable('the joint search looks at final rankings only'),
        interpolated: (query, both) => (
          asked.add(`${both.alpha} ${both.beta}`),
          ranker.interpolated(query, both)
        ),
      },
      { mode: 'joint' },
    );
    expect([parameters, asked.size]).toEqual([{ alpha: 0.3, beta: 0.7 }, 90]);
  });

  test('leaves an α that is given alone', () => {
    const { parameters } = tuneInterpolation(
      Validation.of(fold, qrels),
      {
        combined: () => expect.unreachable('there is nothing to choose'),
        interpolated: ranker.interpolated,
      },
      { alphas: [0.3] },
    );
    expect(parameters).toEqual({ alpha: 0.3, beta: 0.7 });
  });
});

describe('test queries', () => {
  test('are never asked for', () => {
    const validation = Validation.of(fold, qrels);
    expect(validation.queries).toEqual(['v1', 'v2']);
    const onlyValidation = (query: string): Ranking => {
      if (!fold.valid.includes(query)) expect.unreachable(`asked for ${query}`);
      return topped('a');
    };
    tuneInterpolation(validation, { combined: onlyValidation, interpolated: onlyValidation });
  });

  test('cannot change the choice, whatever their judgements and rankings are', () => {
    const document = fc.constantFrom(...documents);
    const order = fc.shuffledSubarray(documents, { minLength: documents.length });
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('v1', 'v2', 't1', 't2', 't3'),
          fc.array(order, { minLength: 90, maxLength: 90 }),
        ),
        fc.record({ v1: document, v2: document }),
        fc.dictionary(fc.constantFrom('t1', 't2', 't3'), document),
        fc.array(order, { minLength: 90, maxLength: 90 }),
        (rankings, judged, tested, others) => {
          const tune = (ofTest: Record<string, string>, replace: boolean) => {
            const rank = (query: string, place: number): Ranking =>
              ((replace && query.startsWith('t') ? others : rankings[query])?.[place] ?? documents).map(
                (id, i) => ({ id, score: -i }),
              );
            return tuneInterpolation(Validation.of(fold, qrelsOf({ ...judged, ...ofTest })), {
              combined: (query, alpha) => rank(query, Math.round(alpha * 10) - 1),
              interpolated: (query, { alpha, beta }) =>
                rank(query, (Math.round(alpha * 10) - 1) * 9 + Math.round(beta * 10) - 1),
            });
          };
          expect(tune(tested, true)).toEqual(tune({}, false));
        },
      ),
      { numRuns: 50 },
    );
  });

  test('alone are nothing to tune on', () => {
    expect(() => Validation.of({ valid: ['x'] }, qrels, 'fold 2')).toThrow(
      'fold 2: none of its 1 validation queries is judged',
    );
  });
});
