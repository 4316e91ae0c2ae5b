import { describe, expect, test } from 'vitest';
import { BertQE, type Phase } from '../../src/expansion/index.js';
import type { PhaseScoreOptions } from '../../src/expansion/index.js';
import { FakeScorer, hashToUnit } from './fake-scorer.js';

const query = 'long bridges';
const documents = Array.from({ length: 12 }, (_, i) => ({
  id: `d${i}`,
  text: i === 5 ? '' : Array.from({ length: 6 + 3 * i }, (_, word) => `w${i}-${word}`).join(' '),
  score: 12 - i,
}));

const model = (salt: string) => new FakeScorer((a, b) => Math.fround(hashToUnit(salt + a + b)));

function fixture() {
  const scorers = {
    bestPassage: model('p'),
    phaseOne: model('1'),
    phaseTwo: model('2'),
    phaseThree: model('3'),
  };
  return { scorers, bertQe: new BertQE(scorers, { passageWords: 10, chunkWords: 4, kd: 3, kc: 4 }) };
}

describe('the evidence', () => {
  test.each([
    ['bestPassage', [true, false, false, false]],
    ['phaseOne', [true, true, false, false]],
    ['phaseTwo', [true, true, true, false]],
    ['phaseThree', [true, true, true, true]],
  ] as const)('until %s asks the models of the phases up to it and no others', async (until, asked) => {
    const { scorers, bertQe } = fixture();
    const { candidates, chunks } = await bertQe.evidence(query, documents, { until });
    expect(Object.values(scorers).map(({ calls }) => calls.length > 0)).toEqual(asked);
    expect(candidates.every(({ passage }) => passage !== undefined)).toBe(true);
    const [, ...filled] = candidates.map(({ queryScore }) => queryScore !== undefined);
    // The document without words has its scores from the start.
    expect(filled.every((known, i) => known === asked[1] || i === 4)).toBe(true);
    expect(chunks?.length).toBe(asked[2] ? 4 : undefined);
    const isScored = candidates.every(({ chunkScores }) => !chunkScores.includes(undefined));
    expect(chunks !== undefined && isScored).toBe(asked[3]);
  });

  test('is what an explanation shows', async () => {
    const { candidates, chunks, weights } = await fixture().bertQe.evidence(query, documents);
    const { explanation } = await fixture().bertQe.rerank(query, documents, { explain: true });
    expect(weights).toEqual(explanation!.chunks.map(({ weight }) => weight));
    expect(chunks!.map(({ text, start, score, source }) => [text, start, score, source.id])).toEqual(
      explanation!.chunks.map(({ text, start, score, document }) => [text, start, score, document]),
    );
    const shown = explanation!.documents.toSorted((a, b) => a.ranks.initial - b.ranks.initial);
    expect(
      candidates.map(({ id, passage, queryScore, initial }) => [id, passage, queryScore, initial]),
    ).toEqual(shown.map(({ id, passage, queryScore, initial }) => [id, passage, queryScore, initial]));
    expect(candidates.map(({ chunkScores }) => chunkScores)).toEqual(
      shown.map(({ chunkScores }) => chunkScores),
    );
  });

  test('comes with the ranking where it is asked for, and not where it is not', async () => {
    const { evidence } = await fixture().bertQe.rerank(query, documents, { keepEvidence: true, topK: 2 });
    expect(evidence!.chunks).toHaveLength(4);
    // Exact top-k leaves cells of the last documents unknown.
    expect(evidence!.candidates.some(({ chunkScores }) => chunkScores.includes(undefined))).toBe(true);
    expect(await fixture().bertQe.rerank(query, documents)).not.toHaveProperty('evidence');
  });

  test('without expansion has no chunks, and phase one ends it', async () => {
    const { scorers } = fixture();
    const maxP = new BertQE(scorers, { passageWords: 10, expansion: false });
    const { chunks, candidates } = await maxP.evidence(query, documents, { until: 'phaseTwo' });
    expect([scorers.phaseTwo.calls, scorers.phaseThree.calls]).toEqual([[], []]);
    expect(chunks ?? []).toEqual([]);
    expect(candidates.every(({ queryScore }) => queryScore !== undefined)).toBe(true);
  });
});

test('a scorer is told which phase asks, and its costs are counted for that phase', async () => {
  const asked: Phase[] = [];
  const scorer = {
    async score(pairs: readonly unknown[], options?: PhaseScoreOptions) {
      asked.push(options!.phase);
      options!.onCost!({ tokens: pairs.length, flops: 10 * pairs.length });
      return new Float32Array(pairs.length).fill(0.5);
    },
    close: async () => {},
  };
  const bertQe = new BertQE({ phaseOne: scorer }, { passageWords: 10, chunkWords: 4 });
  const { cost } = await bertQe.rerank(query, documents);
  expect(asked).toEqual(['bestPassage', 'phaseOne', 'phaseTwo', 'phaseThree']);
  for (const phase of asked) {
    expect(cost[phase]).toMatchObject({ tokens: cost[phase].pairs, flops: 10 * cost[phase].pairs });
  }
  expect(cost.tokens).toBe(cost.pairs);
});
