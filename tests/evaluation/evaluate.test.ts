import { describe, expect, it } from 'vitest';
import type { Qrels, Run } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { judgements, ranking } from './support/in-memory.js';

const run: Run = new Map([
  ['10', [{ id: 'a', score: 1 }]],
  ['2', [{ id: 'b', score: 1 }]],
  ['unjudged', [{ id: 'a', score: 1 }]],
]);
const qrels: Qrels = new Map([
  ['2', new Map([['a', 1]])],
  ['10', new Map([['a', 1]])],
  ['3', new Map([['a', 1]])],
]);

describe('evaluate', () => {
  it('averages over queries that are in both run and qrels', () => {
    const evaluation = evaluate(run, qrels, { measures: ['AP', 'NumQ', 'NumRel', 'GMAP'] });
    expect(evaluation.queries).toEqual(['10', '2']);
    expect(evaluation.missingQueries).toBe(1);
    expect([...evaluation.perQuery.get('AP')!]).toEqual([1, 0]);
    expect(evaluation.summary.get('AP')).toBe(0.5);
    expect(evaluation.summary.get('NumQ')).toBe(2);
    expect(evaluation.summary.get('NumRel')).toBe(2);
    expect(evaluation.summary.get('GMAP')).toBeCloseTo(Math.sqrt(1 * 0.00001), 12);
  });

  it('counts the other judged queries as zero when complete', () => {
    const evaluation = evaluate(run, qrels, { measures: ['AP', 'NumQ', 'NumRel', 'GMAP'], complete: true });
    expect(evaluation.queries).toEqual(['10', '2', '3']);
    expect(evaluation.summary.get('AP')).toBeCloseTo(1 / 3, 15);
    expect(evaluation.summary.get('NumRel')).toBe(3);
    expect(evaluation.summary.get('GMAP')).toBeCloseTo(Math.cbrt(1e-10), 12);
  });

  it("takes the paper's measures unless told otherwise, and each only once", () => {
    expect([...evaluate(run, qrels).summary.keys()]).toEqual(['P@20', 'nDCG@20', 'AP@100', 'AP@1000']);
    expect([...evaluate(run, qrels, { measures: ['P@1', 'P_1'] }).summary.keys()]).toEqual(['P@1']);
  });

  it('looks at 1000 documents, or as deep as the deepest cutoff asks', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => `d${i}`);
    const long = ranking(...ids);
    const judged = judgements({ d999: 1, d1500: 1 });
    expect(evaluate(long, judged, { measures: ['SetR'] }).summary.get('SetR')).toBe(0.5);
    expect(evaluate(long, judged, { measures: ['R@2000'] }).summary.get('R@2000')).toBe(1);
    expect(evaluate(long, judged, { measures: ['R@2000'], depth: 1000 }).summary.get('R@2000')).toBe(0.5);
  });

  it('says so when no query is in both', () => {
    const other: Qrels = new Map([['301', new Map([['a', 1]])]]);
    expect(() => evaluate(run, other, { label: 'x.run' })).toThrow(
      'No query of x.run is in the qrels: its ids look like "10", "2", "unjudged", those of the qrels like "301"; ' +
        'give the qrels of the same queries.',
    );
    expect(() => evaluate(new Map(), qrels)).toThrow(/the run has no results/);
    expect(() => evaluate(run, new Map())).toThrow(/qrels hold no judgements/);
  });

  it('refuses scores that are not numbers', () => {
    const broken: Run = new Map([['2', [{ id: 'b', score: Number.NaN }]]]);
    expect(() => evaluate(broken, qrels)).toThrow(
      /Query 2 of the run: the score of document b is not a number/,
    );
  });
});
