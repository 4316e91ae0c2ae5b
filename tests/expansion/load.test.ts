import { describe, expect, test } from 'vitest';
import type { Scorer } from '../../src/bert/index.js';
import { BertQE, type PhaseScoreOptions } from '../../src/expansion/index.js';
import { chooseModels } from '../../src/expansion/choose-models.js';
import { FakeScorer } from './fake-scorer.js';

describe('models are chosen', () => {
  test('by letters, one per phase', () => {
    expect(chooseModels('LMT')).toEqual({
      models: { bestPassage: 'T', phaseOne: 'L', phaseTwo: 'M', phaseThree: 'T' },
      expansion: true,
    });
    expect(chooseModels('LLM', { passageChoice: 'exhaustive' }).models.bestPassage).toBe('L');
    expect(chooseModels('BERT-QE-LMT')).toEqual(chooseModels('LMT'));
    expect(chooseModels()).toEqual(chooseModels('SST'));
  });

  test('by a single letter, for MaxP', () => {
    expect(chooseModels('B')).toMatchObject({ models: { phaseOne: 'B' }, expansion: false });
  });

  test('as three names or paths, or by phase', () => {
    expect(chooseModels(['./a', 'b', 'c']).models).toEqual({
      bestPassage: './a',
      phaseOne: './a',
      phaseTwo: 'b',
      phaseThree: 'c',
    });
    expect(chooseModels({ phaseOne: 'a', bestPassage: 'p' }).models).toEqual({
      bestPassage: 'p',
      phaseOne: 'a',
      phaseTwo: 'a',
      phaseThree: 'a',
    });
  });

  test('as published: general models choose passages and chunks, fine-tuned ones score', () => {
    expect(
      chooseModels('LMT', {
        preset: 'as-published',
        fineTuned: { L: './large-tuned', T: './tiny-tuned' },
      }),
    ).toEqual({
      models: { bestPassage: 'L', phaseOne: './large-tuned', phaseTwo: 'M', phaseThree: './tiny-tuned' },
      expansion: true,
    });
  });

  test("as published: kc, m, α, β and the pieces of a chunk are the authors'", async () => {
    const pieces = new Map<string, number | undefined>();
    const scorer: Scorer = {
      score: async (pairs, options) => {
        const { phase, secondPieces } = options as PhaseScoreOptions;
        pieces.set(phase, secondPieces);
        return new Float32Array(pairs.length).fill(0.5);
      },
      close: async () => undefined,
    };
    const text = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
    const bertQe = await BertQE.load({ models: 'TTT', preset: 'as-published', fineTuned: { T: scorer } });
    const { explanation } = await bertQe.rerank('word1', [{ id: 'a', text, score: 1 }], { explain: true });
    await bertQe.close();
    expect(explanation!.chunks).toHaveLength(10);
    expect(explanation!.chunks[0].text.split(' ')).toHaveLength(10);
    // M = .5, β = .9, the initial score 1.
    expect(explanation!.documents[0].final).toBeCloseTo(0.9 * Math.log(0.5) + 0.1, 12);
    expect(pieces).toEqual(
      new Map([
        ['phaseOne', undefined],
        ['phaseThree', undefined],
      ]),
    );
    const own = new BertQE({ phaseOne: scorer }, { chunkPieces: 126, chunkWords: 10 });
    await own.rerank('word1', [text]);
    expect(pieces.get('phaseTwo')).toBe(126);
    expect(pieces.get('phaseThree')).toBeUndefined();
  });

  test.each<[Parameters<typeof chooseModels>, RegExp]>([
    [['LXT'], /no size "X"/],
    [[['a', 'b']], /three models are needed, one per phase, not 2/],
    [['LMT', { preset: 'as-published', fineTuned: { L: 'x' } }], /needs fineTuned.T/],
    [[['a', 'b', 'c'], { preset: 'as-published' }], /takes models as letters/],
    [['LMT', { preset: 'published' as never }], /no preset "published"/],
  ])('%j is refused with the reason', (choice, reason) => {
    expect(() => chooseModels(...choice)).toThrow(reason);
  });
});

describe('a re-ranker that was loaded', () => {
  test('runs the shipped models, each loaded once, and tells tokens and FLOPs', async () => {
    const bertQe = await BertQE.load({ models: 'TTT', kc: 2, kd: 2 });
    try {
      const texts = [
        'Bridges sway in the wind.',
        'Bread is baked in an oven.',
        'Wind bends towers and bridges.',
      ];
      const { results, cost } = await bertQe.rerank('why do bridges sway', texts, { topK: 2 });
      expect(results.map(({ index }) => index)).not.toContain(1);
      expect(results[0].relevance).toBeGreaterThan(0);
      expect(cost.phaseOne).toMatchObject({ pairs: 3, seconds: expect.any(Number) });
      // [CLS] query [SEP] text [SEP], at least a piece per word.
      expect(cost.phaseOne.tokens).toBeGreaterThan(3 * (4 + 5 + 3));
      expect(cost.phaseOne.flops).toBeGreaterThan(cost.phaseOne.tokens * 2 * 24 * 128 ** 2);
      expect(cost.flops).toBe(
        cost.bestPassage.flops + cost.phaseOne.flops + cost.phaseTwo.flops + cost.phaseThree.flops,
      );
    } finally {
      await bertQe.close();
    }
  });

  test('closes the models it loaded, not the scorers it was given', async () => {
    const own = new FakeScorer(() => 0.5);
    const bertQe = await BertQE.load({ models: [own, own, own] });
    await bertQe.rerank('a query', ['a text']);
    await bertQe.close();
    expect(own.closed).toBe(0);
  });

  test.each<[unknown, RegExp]>([
    ['SST', /takes an object, such as \{ models: 'SST' \}, not SST/],
    [{ models: 3 }, /a model is a letter, a name, a folder or a scorer with a method score, not undefined/],
    [{ models: [{}, 'T', 'T'] }, /a scorer with a method score, not \[object Object\]/],
  ])('is refused for %j, with what was expected', async (options, reason) => {
    await expect(BertQE.load(options as Parameters<typeof BertQE.load>[0])).rejects.toThrow(reason);
  });

  test('checks its options before it looks for a model', async () => {
    await expect(BertQE.load({ models: 'LLL', alpha: 2 })).rejects.toThrow(/alpha/);
    await expect(BertQE.load({ models: 'LLL' })).rejects.toMatchObject({ code: 'missing' });
  });
});
