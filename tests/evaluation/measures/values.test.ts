import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Qrels, Run } from '../../../src/collection/index.js';
import { evaluate } from '../../../src/evaluation/index.js';
import { collections, judgements, ranking } from '../support/in-memory.js';

function value(run: Run, qrels: Qrels, measure: string, options = {}): number {
  return evaluate(run, qrels, { measures: [measure], ...options }).summary.get(measure)!;
}

describe('measures by hand', () => {
  // Ranks:          1    2    3    4    5      c and e are relevant, b judged not, a unknown; x was missed.
  const run = ranking('a', 'c', 'b', 'e', 'f');
  const qrels = judgements({ c: 1, b: 0, e: 2, x: 3, f: -1 });

  it.each([
    ['P@2', 1 / 2],
    ['P@10', 2 / 10],
    ['P(rel=2)@5', 1 / 5],
    ['R@4', 2 / 3],
    ['R(rel=2)@4', 1 / 2],
    ['Success@1', 0],
    ['Success@2', 1],
    ['RR', 1 / 2],
    ['RR(rel=2)', 1 / 4],
    ['RR@1', 0],
    ['AP', (1 / 2 + 2 / 4) / 3],
    ['AP@3', 1 / 2 / 3],
    ['Rprec', 1 / 3],
    ['bpref', (1 + (1 - 1 / 1)) / 3],
    ['nDCG@3', 1 / Math.log2(3) / (3 + 2 / Math.log2(3) + 1 / 2)],
    ['nDCG', (1 / Math.log2(3) + 2 / Math.log2(5)) / (3 + 2 / Math.log2(3) + 1 / 2)],
    ["nDCG(dcg='exp-log2')@3", 1 / Math.log2(3) / (7 + 3 / Math.log2(3) + 1 / 2)],
    ['IPrec@0', 1 / 2],
    ['IPrec@0.5', 1 / 2],
    ['IPrec@0.9', 0],
    ['Judged@3', 2 / 3],
    ['Judged@50', 4 / 5],
    ['Judged', 4 / 5],
    ['SetP', 2 / 5],
    ['SetR', 2 / 3],
    ['SetF', (2 * (2 / 5) * (2 / 3)) / (2 / 5 + 2 / 3)],
    ['SetF(beta=4)', (5 * (2 / 5) * (2 / 3)) / (4 * (2 / 5) + 2 / 3)],
    ['SetAP', (2 / 5) * (2 / 3)],
    ['NumRet', 5],
    ['NumRel', 3],
    ['NumRelRet', 2],
    ['NumRel(rel=2)', 2],
    ['NumQ', 1],
  ])('%s', (measure, expected) => {
    expect(value(run, qrels, measure)).toBeCloseTo(expected, 14);
  });

  it('the relevance level and the depth change what counts', () => {
    expect(value(run, qrels, 'P@5', { relevanceLevel: 2 })).toBe(1 / 5);
    // A measure's own parameter takes precedence.
    expect(value(run, qrels, 'P(rel=1)@5', { relevanceLevel: 2 })).toBe(2 / 5);
    expect(value(run, qrels, 'P@5', { depth: 3 })).toBe(1 / 5);
    expect(value(run, qrels, 'NumRet', { depth: 3 })).toBe(3);
  });

  it('all are zero where nothing is relevant or nothing was retrieved', () => {
    const measures = [
      'P@5',
      'R@5',
      'AP',
      'nDCG',
      'RR',
      'Rprec',
      'bpref',
      'infAP',
      'IPrec@0',
      'SetF',
      'SetAP',
    ];
    const nothingRelevant = evaluate(run, judgements({ a: 0, z: -1 }), { measures });
    const nothingRetrieved = evaluate(new Map([['1', []]]), qrels, { measures: [...measures, 'Judged@5'] });
    for (const { summary } of [nothingRelevant, nothingRetrieved]) {
      for (const result of summary.values()) expect(result).toBe(0);
    }
  });
});

describe('all measures', () => {
  const bounded = ['P@5', 'nDCG', 'nDCG@7', 'AP', 'AP@10', 'RR', 'RR@3', 'R@5', 'Rprec', 'bpref', 'infAP'];
  const more = ['IPrec@0.3', 'Success@2', 'Judged@4', 'SetP', 'SetR', 'SetF', 'SetAP', 'GMAP', 'GMbpref'];

  it('lie between 0 and 1', () => {
    fc.assert(
      fc.property(collections, ({ run, qrels }) => {
        for (const [measure, column] of evaluate(run, qrels, { measures: [...bounded, ...more] }).perQuery) {
          for (const result of column) {
            expect(result, measure).toBeGreaterThanOrEqual(0);
            expect(result, measure).toBeLessThanOrEqual(1 + 1e-12);
          }
        }
      }),
    );
  });

  it('do not depend on the order of lines in run and qrels', () => {
    fc.assert(
      fc.property(collections, ({ run, qrels }) => {
        const turned = new Map([...run].reverse().map(([id, ranking]) => [id, ranking.toReversed()]));
        const turnedQrels = new Map(
          [...qrels].reverse().map(([id, judged]) => [id, new Map([...judged].reverse())]),
        );
        const options = { measures: [...bounded, ...more], complete: true };
        expect(evaluate(turned, turnedQrels, options).summary).toEqual(evaluate(run, qrels, options).summary);
      }),
    );
  });

  it('do not depend on scores, only on their order', () => {
    fc.assert(
      fc.property(collections, ({ run, qrels }) => {
        const stretched = new Map(
          [...run].map(([id, ranking]) => [
            id,
            ranking.map(({ id, score }) => ({ id, score: Math.exp(score) - 7 })),
          ]),
        );
        const options = { measures: bounded };
        expect(evaluate(stretched, qrels, options).summary).toEqual(evaluate(run, qrels, options).summary);
      }),
    );
  });

  it('are 1 for the ideal ranking', () => {
    fc.assert(
      fc.property(collections, ({ qrels }) => {
        const ideal: Run = new Map(
          [...qrels].map(([id, judged]) => [id, [...judged].map(([id, level]) => ({ id, score: level }))]),
        );
        const withRelevant = new Map([...qrels].filter(([, judged]) => Math.max(...judged.values()) > 0));
        fc.pre(withRelevant.size > 0);
        const measures = [
          'nDCG',
          'nDCG@3',
          "nDCG(dcg='exp-log2')@5",
          'AP',
          'RR',
          'Rprec',
          'bpref',
          'IPrec@1',
        ];
        for (const [measure, result] of evaluate(ideal, withRelevant, { measures }).summary) {
          expect(result, measure).toBeCloseTo(1, 12);
        }
      }),
    );
  });

  it('AP@k and R@k grow with k up to AP and SetR, and AP never exceeds SetR', () => {
    fc.assert(
      fc.property(collections, ({ run, qrels }) => {
        const measures = ['AP@1', 'AP@5', 'AP@20', 'AP', 'SetR', 'R@1', 'R@5', 'R@20'];
        const { perQuery, queries } = evaluate(run, qrels, { measures });
        queries.forEach((_, row) => {
          const at = (name: string) => perQuery.get(name)![row];
          for (const [less, more] of [
            ['AP@1', 'AP@5'],
            ['AP@5', 'AP@20'],
            ['AP@20', 'AP'],
            ['AP', 'SetR'],
            ['R@1', 'R@5'],
            ['R@5', 'R@20'],
            ['R@20', 'SetR'],
          ]) {
            expect(at(less), `${less} against ${more}`).toBeLessThanOrEqual(at(more) + 1e-12);
          }
        });
      }),
    );
  });

  it('never fall when a relevant document moves up one place', () => {
    fc.assert(
      fc.property(collections, fc.nat(), ({ run, qrels }, choice) => {
        const [query, documents] = [...run][0];
        const ids = documents.map(({ id }) => id);
        const judged = qrels.get(query)!;
        const movable = ids.findIndex(
          (id, i) =>
            i > choice % ids.length && (judged.get(id) ?? 0) > 0 && (judged.get(ids[i - 1]) ?? 0) <= 0,
        );
        fc.pre(movable > 0);
        const moved = ids.with(movable - 1, ids[movable]).with(movable, ids[movable - 1]);
        const only: Qrels = new Map([['1', judged]]);
        const before = evaluate(ranking(...ids), only, { measures: bounded }).summary;
        const after = evaluate(ranking(...moved), only, { measures: bounded }).summary;
        for (const measure of bounded) {
          if (measure === 'infAP') continue; // An estimate: it may take back part of what it assumed.
          expect(after.get(measure), measure).toBeGreaterThanOrEqual(before.get(measure)! - 1e-12);
        }
      }),
    );
  });
});
