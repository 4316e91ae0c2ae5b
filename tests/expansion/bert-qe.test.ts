import { describe, expect, test } from 'vitest';
import { BertQE, phases, type BertQEOptions } from '../../src/expansion/index.js';
import { FakeScorer, hashToUnit } from './fake-scorer.js';

const scorer = () => new FakeScorer((a, b) => hashToUnit(a + b));
const query = 'shock wave';

describe('documents may be', () => {
  test('plain strings: ranked by ln M, named by their index', async () => {
    const model = new FakeScorer((_, b) => (b.includes('wave') ? 0.75 : 0.25));
    const { results } = await new BertQE({ phaseOne: model }).rerank(query, ['a lake', 'a wave', 'a hill']);
    expect(results.map(({ index, id, rank }) => [index, id, rank])).toEqual([
      [1, '1', 1],
      [0, '0', 2],
      [2, '2', 3],
    ]);
    expect(results[0].relevance).toBeCloseTo(0.75, 6);
    expect(results[0].score).toBeCloseTo(Math.log(0.75), 6);
  });

  test('objects with ids and scores, in any order: the scores make the initial ranking', async () => {
    const model = new FakeScorer(() => 0.5);
    const documents = [
      { id: 'low', text: 'x', score: 1 },
      { id: 'high', text: 'y', score: 3 },
      { id: 'middle', text: 'z', score: 2 },
    ];
    const { results, explanation } = await new BertQE({ phaseOne: model }, { beta: 0.5 }).rerank(
      query,
      documents,
      { explain: true },
    );
    expect(results.map(({ id }) => id)).toEqual(['high', 'middle', 'low']);
    expect(results.map(({ index }) => index)).toEqual([1, 2, 0]);
    expect(explanation?.documents.map(({ ranks }) => ranks.initial)).toEqual([1, 2, 3]);
  });

  test('none at all', async () => {
    const { results, complete, cost } = await new BertQE({ phaseOne: scorer() }).rerank(query, []);
    expect([results, complete, cost.pairs]).toEqual([[], true, 0]);
  });

  test('equal in score: they come by id, byte by byte', async () => {
    const model = new FakeScorer(() => 0.5);
    const ids = ['b', '\u{1F600}', 'a', '\uFFFD', 'B', 'aa'];
    const documents = ids.map((id) => ({ id, text: 'same' }));
    const { results } = await new BertQE({ phaseOne: model }).rerank(query, documents);
    expect(results.map(({ id }) => id)).toEqual(['B', 'a', 'aa', 'b', '\uFFFD', '\u{1F600}']);
  });

  test('the same twice: both stay, as they were handed in', async () => {
    const documents = [
      { id: 'd', text: 'one text' },
      { id: 'd', text: 'one text' },
    ];
    const model = scorer();
    const { results } = await new BertQE({ phaseOne: model }).rerank(query, documents);
    expect(results.map(({ index }) => index)).toEqual([0, 1]);
    // Query and chunk against one text: it is scored once with each.
    expect(model.asked.length).toBe(2);
  });

  test('all empty: every score is 0, no model is asked, and the order is that of the initial scores', async () => {
    const model = scorer();
    const documents = [1, 2, 3].map((score) => ({ id: `d${score}`, text: ' ', score }));
    const { results } = await new BertQE({ phaseOne: model }).rerank(query, documents);
    expect(results.map(({ id }) => id)).toEqual(['d3', 'd2', 'd1']);
    expect(results.every(({ score, relevance }) => Number.isFinite(score) && relevance === 0)).toBe(true);
    expect(model.asked).toEqual([]);
  });
});

test('each phase asks its own model', async () => {
  const models = {
    bestPassage: scorer(),
    phaseOne: scorer(),
    phaseTwo: scorer(),
    phaseThree: scorer(),
  };
  const bertQe = new BertQE(models, { passageWords: 2, chunkWords: 2, kd: 1, kc: 1 });
  const { explanation, cost } = await bertQe.rerank(query, ['a b c', 'd e f g'], { explain: true });
  expect(models.bestPassage.asked.map(({ b }) => b)).toEqual(['a b', 'b c', 'd e', 'e f', 'f g']);
  // One passage of each, and the others of the document that leads.
  expect(models.phaseOne.asked.length).toBeGreaterThanOrEqual(3);
  expect(models.phaseOne.asked.length).toBeLessThanOrEqual(4);
  expect(models.phaseTwo.asked.every(({ a }) => a === query)).toBe(true);
  expect(models.phaseThree.asked.every(({ a }) => a === explanation?.chunks[0].text)).toBe(true);
  for (const phase of phases) expect(cost[phase].pairs).toBe(models[phase].asked.length);
});

test('documents below the depth keep their order, each 0.01 under the one before', async () => {
  const documents = Array.from({ length: 6 }, (_, i) => ({ id: `d${i}`, text: `text ${i}`, score: 6 - i }));
  const model = scorer();
  const { results } = await new BertQE({ phaseOne: model }, { depth: 3 }).rerank(query, documents);
  expect(results.slice(3).map(({ id }) => id)).toEqual(['d3', 'd4', 'd5']);
  results.slice(3).forEach(({ score, relevance, rank }, i) => {
    expect(results[2].score - score).toBeCloseTo(0.01 * (i + 1), 12);
    expect(relevance).toBeUndefined();
    expect(rank).toBe(4 + i);
  });
  expect(model.asked.some(({ b }) => b === 'text 4')).toBe(false);
});

test('without phases two and three it is MaxP', async () => {
  const model = scorer();
  const bertQe = new BertQE({ phaseOne: model }, { expansion: false, passageWords: 2 });
  const { results, explanation } = await bertQe.rerank(query, ['a b c', 'd'], { explain: true });
  const best = Math.max(...['a b', 'b c'].map((passage) => hashToUnit(query + passage)));
  expect(results.find(({ index }) => index === 0)?.relevance).toBeCloseTo(best, 6);
  expect(model.asked.length).toBe(3);
  expect(explanation?.chunks).toEqual([]);
  expect(explanation?.documents[0].expansionScore).toBeNull();
});

test('α = 0 leaves phases two and three out, unless they are to be explained', async () => {
  const phaseThree = scorer();
  const bertQe = new BertQE({ phaseOne: scorer(), phaseThree }, { alpha: 0 });
  const plain = await bertQe.rerank(query, ['a b c', 'd e']);
  expect(phaseThree.asked).toEqual([]);
  const explained = await bertQe.rerank(query, ['a b c', 'd e'], { explain: true });
  expect(explained.results).toEqual(plain.results);
  expect(phaseThree.asked.length).toBeGreaterThan(0);
});

test('an abort stops the work before the next call of a model', async () => {
  const abort = new AbortController();
  const phaseOne = scorer();
  const phaseThree = scorer();
  const bertQe = new BertQE({ phaseOne, phaseTwo: scorer(), phaseThree });
  const running = bertQe.rerank(query, ['a b', 'c d'], {
    signal: abort.signal,
    onProgress: ({ phase }) => phase === 'phaseTwo' && abort.abort(),
  });
  await expect(running).rejects.toMatchObject({ code: 'aborted' });
  expect(phaseThree.asked).toEqual([]);
});

test('progress tells the phase and its pairs', async () => {
  const seen: string[] = [];
  const models = { phaseOne: scorer(), phaseTwo: scorer(), phaseThree: scorer() };
  await new BertQE(models).rerank(query, ['a b', 'c d'], {
    onProgress: ({ phase, pairs }) => seen.push(`${phase} ${pairs}`),
  });
  expect(new Set(seen)).toEqual(new Set(['phaseOne 2', 'phaseTwo 2', 'phaseThree 4']));
});

describe('is refused, with the reason:', () => {
  test.each<[BertQEOptions, RegExp]>([
    [{ alpha: 1.5 }, /alpha must be between 0 and 1, not 1.5/],
    [{ alpha: Number.NaN }, /alpha must be between 0 and 1, not NaN/],
    [{ beta: -0.1 }, /beta must be between 0 and 1/],
    [{ kd: 0 }, /kd must be a whole number of at least 1, not 0/],
    [{ kc: 2.5 }, /kc must be a whole number/],
    [{ chunkWords: 0 }, /chunkWords/],
    [{ depth: -1 }, /depth/],
    [{ chunkSource: 'passage' as never }, /chunkSource must be one of best-passage, document, initial/],
    [{ aplha: 0.3 } as BertQEOptions, /no option "aplha"; did you mean alpha\?/],
  ])('%j', (options, reason) => {
    expect(() => new BertQE({ phaseOne: scorer() }, options)).toThrow(reason);
  });

  test.each<[string, unknown[], object, RegExp]>([
    [' ', ['a'], {}, /the query is empty/],
    [undefined as never, ['a'], {}, /the query is no text/],
    ['q', undefined as never, {}, /the documents are no array/],
    ['q', 'a' as never, {}, /the documents are no array/],
    ['q', ['a', null], {}, /documents\[1\] has no text/],
    ['q', Array(1), {}, /documents\[0\] has no text/],
    ['q', [{ text: 'a', title: null }], {}, /documents\[0\] has a title that is no text/],
    ['q', [{ id: 'x' }], {}, /documents\[0\] has no text/],
    ['q', [{ text: 'a', score: Number.NaN }], {}, /documents\[0\] has the score NaN/],
    ['q', [{ text: 'a', score: 1 }, 'b'], {}, /documents\[1\] has no score but others have/],
    ['q', ['a'], { topK: 0 }, /topK must be a whole number of at least 1/],
  ])('query %j, documents %j, %j', async (text, documents, options, reason) => {
    const bertQe = new BertQE({ phaseOne: scorer() });
    await expect(bertQe.rerank(text, documents as string[], options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(reason),
    });
  });

  test.each([
    [2.5, /phaseOne scorer answered 2.5; it must give a probability/],
    [Number.NaN, /answered NaN/],
    [-0.5, /answered -0.5/],
  ])('a scorer that answers %d', async (answer, reason) => {
    const bertQe = new BertQE({ phaseOne: new FakeScorer(() => answer) });
    await expect(bertQe.rerank(query, ['a'])).rejects.toThrow(reason);
  });

  test('a scorer that answers too few', async () => {
    const phaseOne = { score: async () => new Float32Array(1), close: async () => {} };
    await expect(new BertQE({ phaseOne }).rerank(query, ['a', 'b'])).rejects.toThrow(/1 scores for 2 pairs/);
  });
});
