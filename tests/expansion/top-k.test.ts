import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextPair } from '../../src/bert/types.js';
import { BertQE, type BertQEOptions } from '../../src/expansion/index.js';
import { caseArbitrary, libraryOf, query } from './cases.js';
import { FakeScorer, hashToUnit } from './fake-scorer.js';

const scorer = () => new FakeScorer((a, b) => hashToUnit(a + b));
const hopeful = () => new FakeScorer((a, b) => 0.5 + 0.5 * hashToUnit(a + b));

describe('exact top-k', () => {
  test('gives the first k places and scores of the exhaustive run, bit for bit', async () => {
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(
        caseArbitrary(40),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (testCase, topK, roundPairs) => {
          const exhaustive = await libraryOf(testCase).bertQe.rerank(query, testCase.documents);
          const { bertQe, scorers } = libraryOf(testCase, { roundPairs });
          const pruned = await bertQe.rerank(query, testCase.documents, { topK });
          expect(pruned.results).toEqual(exhaustive.results.slice(0, topK));
          expect(pruned.complete).toBe(true);
          expect(pruned.cost.pairs).toBeLessThanOrEqual(exhaustive.cost.pairs);
          const asked = new Set(Object.values(scorers));
          expect([...asked].reduce((sum, scorer) => sum + scorer.asked.length, 0)).toBe(pruned.cost.pairs);
          if (pruned.cost.pairs < exhaustive.cost.pairs) saved++;
        },
      ),
      { numRuns: 5000 },
    );
    // The property would also hold if nothing were ever pruned.
    expect(saved).toBeGreaterThan(400);
  });

  test('with pruning off cuts the exhaustive ranking, and runs every pair', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary(), fc.integer({ min: 1, max: 10 }), async (testCase, topK) => {
        const all = await libraryOf(testCase).bertQe.rerank(query, testCase.documents);
        const cut = await libraryOf(testCase).bertQe.rerank(query, testCase.documents, {
          topK,
          prune: false,
        });
        expect(cut.results).toEqual(all.results.slice(0, topK));
        expect(cut.cost.pairs).toBe(all.cost.pairs);
      }),
      { numRuns: 300 },
    );
  });

  test('never puts a pair to the same model twice', async () => {
    await fc.assert(
      fc.asyncProperty(caseArbitrary(), fc.integer({ min: 1, max: 30 }), async (testCase, topK) => {
        const { bertQe, scorers } = libraryOf(testCase, { roundPairs: 5 });
        await bertQe.rerank(query, testCase.documents, { topK });
        for (const scorer of new Set(Object.values(scorers))) {
          const keys = scorer.asked.map(({ a, b }: TextPair) => `${a}\n${b}`);
          expect(new Set(keys).size).toBe(keys.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('counts the pairs of the exhaustive way as the exhaustive way runs them', async () => {
    // Every text is different, so that nothing is saved by accident.
    const documents = Array.from({ length: 30 }, (_, i) => ({
      id: `d${i}`,
      text: Array.from({ length: 1 + 7 * (i % 4) }, (_, word) => `w${i}-${word}`).join(' '),
      score: 30 - i,
    }));
    for (const shared of [true, false]) {
      const phaseOne = scorer();
      const bestPassage = shared ? phaseOne : scorer();
      const options = { passageWords: 8, chunkWords: 4, kd: 3, kc: 4, phaseOneDepth: 30 };
      const bertQe = new BertQE({ phaseOne, bestPassage, phaseTwo: scorer(), phaseThree: scorer() }, options);
      const all = await bertQe.rerank(query, documents);
      const top = await bertQe.rerank(query, documents, { topK: 2 });
      expect(all.cost.exhaustivePairs).toBe(all.cost.pairs);
      expect(top.cost.exhaustivePairs).toBe(all.cost.pairs);
      expect(top.cost.phaseThree.exhaustivePairs).toBe(30 * 4);
      expect(top.cost.phaseThree.pairs).toBeLessThan(30 * 4);
    }
  });

  test('skips documents altogether that their initial scores rule out, where phase one need not be complete', async () => {
    const documents = Array.from({ length: 200 }, (_, i) => ({ id: `d${i}`, text: `text ${i}`, score: -i }));
    for (const options of [{ expansion: false }, { chunkSource: 'initial' as const, expansionDepth: 200 }]) {
      const scorers = { phaseOne: hopeful(), phaseTwo: hopeful(), phaseThree: hopeful() };
      const bertQe = new BertQE(scorers, { beta: 0.5, roundPairs: 16, ...options });
      const { cost, results } = await bertQe.rerank(query, documents, { topK: 3 });
      const exhaustive = await bertQe.rerank(query, documents);
      expect(results).toEqual(exhaustive.results.slice(0, 3));
      expect(cost.phaseOne.pairs).toBeLessThan(40);
    }
  });

  test('reads twice as many documents as are wanted in phase three, at least 20, unless it shall read all', async () => {
    const documents = Array.from({ length: 60 }, (_, i) => ({ id: `d${i}`, text: `text ${i}`, score: -i }));
    const readBy = async (options: BertQEOptions, topK?: number) => {
      const phaseThree = scorer();
      const bertQe = new BertQE({ phaseOne: scorer(), phaseThree }, { kc: 2, ...options });
      const { results } = await bertQe.rerank(query, documents, { topK, prune: false });
      const read = new Set(phaseThree.asked.map(({ b }) => b));
      return { read: read.size, first: results.map(({ id }) => id), texts: read };
    };
    expect((await readBy({})).read).toBe(60);
    expect((await readBy({}, 5)).read).toBe(20);
    expect((await readBy({}, 15)).read).toBe(30);
    expect((await readBy({}, 40)).read).toBe(60);
    expect((await readBy({ passageChoice: 'exhaustive' }, 5)).read).toBe(60);
    expect((await readBy({ expansionDepth: 7 }, 5)).read).toBe(7);
    // Those are the first ones without expansion, and they come first.
    const unexpanded = await readBy({ expansion: false });
    const cut = await readBy({ expansionDepth: 7 });
    expect(cut.texts).toEqual(new Set(unexpanded.first.slice(0, 7).map((id) => `text ${id.slice(1)}`)));
    expect(new Set(cut.first.slice(0, 7))).toEqual(new Set(unexpanded.first.slice(0, 7)));
    expect(cut.first.slice(7)).toEqual(unexpanded.first.slice(7));
  });

  test('reads twice the geometric mean of all and of the wanted documents in phase one, or of all and kd', async () => {
    const documents = Array.from({ length: 300 }, (_, i) => ({ id: `d${i}`, text: `text ${i}`, score: -i }));
    const chooser = scorer();
    const readBy = async (options: BertQEOptions, topK?: number) => {
      const phaseOne = scorer();
      const scorers = { bestPassage: chooser, phaseOne };
      const bertQe = new BertQE(scorers, { beta: 1, expansion: false, ...options });
      const { results, cost } = await bertQe.rerank(query, documents, { topK, prune: false });
      return { read: new Set(phaseOne.asked.map(({ b }) => b)), ids: results.map(({ id }) => id), cost };
    };
    expect((await readBy({}, 5)).read.size).toBe(110); // 2·√(300 · 10)
    expect((await readBy({ kd: 3 }, 5)).read.size).toBe(78);
    expect((await readBy({}, 12)).read.size).toBe(120);
    expect((await readBy({ depth: 48 }, 12)).read.size).toBe(48);
    expect((await readBy({}, 80)).read.size).toBe(300);
    expect((await readBy({})).read.size).toBe(300);
    expect((await readBy({ chunkSource: 'initial' }, 5)).read.size).toBe(300);
    expect((await readBy({ passageChoice: 'exhaustive' }, 5)).read.size).toBe(300);
    // They are the first ones by the model that chooses passages, whose order the others keep beneath them.
    const cut = await readBy({ phaseOneDepth: 7 });
    const byChooser = new BertQE({ phaseOne: chooser }, { beta: 1, expansion: false });
    const order = (await byChooser.rerank(query, documents)).results.map(({ id }) => id);
    expect(cut.read).toEqual(new Set(order.slice(0, 7).map((id) => `text ${id.slice(1)}`)));
    expect(cut.ids.slice(7)).toEqual(order.slice(7));
    expect([cut.cost.pairs, cut.cost.exhaustivePairs]).toEqual([307, 307]);
  });

  test('compares the passages of the documents that phase one reads, of the others only the likeliest', async () => {
    const documents = Array.from({ length: 200 }, (_, i) => ({
      id: `d${i}`,
      text: `stale bread ${i} of two. Bread alone ${i} here too.`,
      score: -i,
    }));
    for (const shared of [true, false]) {
      const phaseOne = scorer();
      const bestPassage = shared ? phaseOne : scorer();
      const options = { passageWords: 4, expansion: false, phaseOneDepth: 10, kd: 1 };
      const { cost } = await new BertQE({ phaseOne, bestPassage }, options).rerank('stale bread', documents);
      expect(cost.exhaustivePairs).toBe(cost.pairs);
      expect(cost.bestPassage.pairs).toBeLessThan(250);
      expect(new Set(bestPassage.asked.map(({ b }) => b.match(/\d+/)?.[0])).size).toBe(200);
    }
  });

  test('hands the scorer rounds of about the size asked for', async () => {
    const documents = Array.from({ length: 400 }, (_, i) => ({ id: `d${i}`, text: `text ${i}` }));
    const phaseThree = new FakeScorer((a, b) => hashToUnit(a + b));
    const bertQe = new BertQE(
      { phaseOne: new FakeScorer((a, b) => 0.4 + 0.2 * hashToUnit(b + a)), phaseThree },
      { roundPairs: 100, alpha: 0.6, phaseOneDepth: 400, expansionDepth: 400 },
    );
    await bertQe.rerank(query, documents, { topK: 20 });
    expect(phaseThree.calls.length).toBeGreaterThan(3);
    // All but the last ones, when few documents are left, are full; none is much larger.
    expect(phaseThree.calls.filter((pairs) => pairs >= 100).length).toBeGreaterThan(
      phaseThree.calls.length / 2,
    );
    expect(Math.max(...phaseThree.calls)).toBeLessThan(120);
  });
});
