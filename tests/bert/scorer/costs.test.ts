import { describe, expect, it } from 'vitest';
import {
  budgetFor,
  encoderFlops,
  loadTokenizer,
  readModelConfig,
  type ScoringCost,
  type TextPair,
} from '../../../src/bert/index.js';
import { BertScorer, type ScorerOptions } from '../../../src/bert/scorer/bert-scorer.js';
import { EXPORT_NAMES, changeConfig, miniExport, miniModel } from './mini-model.js';

const texts = [
  '',
  ' \n',
  'coffee',
  'how bees find flowers',
  'Ünïcode — 漢字 and 🐝 emoji, e\u0301 and \u0000',
  'word '.repeat(126).trim(),
  'word '.repeat(127).trim(),
  'word '.repeat(700),
  'x'.repeat(500),
];

/** Every text with every other, itself included; some pairs twice. */
const pairs: readonly TextPair[] = [
  ...texts.flatMap((a) => texts.map((b) => ({ a, b }))),
  { a: texts[3], b: texts[4] },
  { a: texts[0], b: texts[0] },
];

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Tokens and FLOPs pair by pair, from the texts. */
async function expectedCost(folder: string, maxLength: number): Promise<ScoringCost> {
  const tokenizer = await loadTokenizer(folder);
  const budget = budgetFor(maxLength, tokenizer.template);
  const shape = await readModelConfig(folder);
  const lengths = pairs.map(
    ({ a, b }) =>
      3 +
      Math.min(tokenizer.encode(a).length, budget.first) +
      Math.min(tokenizer.encode(b).length, budget.second),
  );
  return {
    tokens: sum(lengths),
    flops: sum(
      lengths.map((length) =>
        encoderFlops(shape, { sequences: 1, tokens: length, squaredTokens: length ** 2 }),
      ),
    ),
  };
}

async function withScorer<T>(options: ScorerOptions, use: (scorer: BertScorer) => Promise<T>): Promise<T> {
  const scorer = await BertScorer.load(options);
  try {
    return await use(scorer);
  } finally {
    await scorer.close();
  }
}

async function reportedCosts(scorer: BertScorer, some = pairs): Promise<ScoringCost[]> {
  const costs: ScoringCost[] = [];
  await scorer.score(some, { onCost: (cost) => costs.push(cost) });
  return costs;
}

describe('the cost of a call', () => {
  it.each<Omit<ScorerOptions, 'model'>>([
    {},
    { precision: 'int8' },
    { maxLength: 32 },
    { workers: 1, batchTokens: 64 },
  ])('is that of every pair as it is truncated, with %o', async (options) => {
    await withScorer({ model: 'T', ...options }, async (scorer) => {
      const { folder, maxLength } = scorer.info;
      const expected = await expectedCost(folder, maxLength);
      expect(await reportedCosts(scorer)).toEqual([expected]);
      expect(scorer.costOf(pairs)).toEqual(expected);
    });
  });

  it('is nothing for no pairs', async () => {
    await withScorer({ model: await miniModel(), maxLength: 32 }, async (scorer) => {
      expect(await reportedCosts(scorer, [])).toEqual([{ tokens: 0, flops: 0 }]);
    });
  });

  it('is known of an ONNX export whose configuration describes a BERT', async () => {
    const model = await miniExport(EXPORT_NAMES);
    await withScorer({ model, maxLength: 32 }, async (scorer) => {
      expect(await reportedCosts(scorer)).toEqual([await expectedCost(model, 32)]);
    });
  });

  it('is not reported of an export that is not described', async () => {
    const model = await miniExport(EXPORT_NAMES);
    changeConfig(model, { model_type: 'electra' });
    await withScorer({ model, maxLength: 32 }, async (scorer) => {
      expect(await reportedCosts(scorer)).toEqual([]);
      expect(scorer.costOf(pairs)).toBeUndefined();
      expect(scorer.lengthOf({ a: 'abc', b: '' })).toBe(6);
    });
  });

  it('is not reported of a call that failed', async () => {
    await withScorer({ model: await miniModel(), maxLength: 32 }, async (scorer) => {
      const costs: ScoringCost[] = [];
      const wrong = [...pairs, { a: 'a' } as TextPair];
      await expect(scorer.score(wrong, { onCost: (cost) => costs.push(cost) })).rejects.toThrow(
        /two strings/,
      );
      expect(costs).toEqual([]);
    });
  });
});
