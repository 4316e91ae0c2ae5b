import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { omitUndefined } from '../../../src/common/omit-undefined.js';
import type { BertWeights } from '../../../src/bert/checkpoint/index.js';
import { pulledTokens } from '../../../src/bert/scorer/device-profiles.js';
import { findModel, loadTokenizer } from '../../../src/bert/index.js';
import { BertScorer, type ScorerOptions } from '../../../src/bert/scorer/bert-scorer.js';
import { prepareModel } from '../../../src/bert/scorer/model-source.js';
import type { TextPair } from '../../../src/bert/types.js';
import { scorerContract } from '../../contracts/scorer.js';
import { seededWeights } from '../graph/seeded-model.js';
import { demoPairs } from './demo-pairs.js';
import { miniConfig, miniModel } from './mini-model.js';

async function logitsOf(options: ScorerOptions, some: readonly TextPair[]): Promise<Float32Array> {
  const scorer = await BertScorer.load(options);
  try {
    return (await scorer.scoreLogits(some)).values;
  } finally {
    await scorer.close();
  }
}

scorerContract('BertScorer in fp32', () => BertScorer.load({ model: 'T' }));
scorerContract('BertScorer in int8', () => BertScorer.load({ model: 'T', precision: 'int8' }));

describe('BertScorer', () => {
  const pairs = demoPairs(150);
  let expected: Float32Array;
  beforeAll(async () => {
    expected = await logitsOf({ model: 'T' }, pairs);
  });

  it.each([
    { workers: 1, threads: 1 },
    { workers: 1, threads: 2 },
    { workers: 3, threads: 1 },
    { batchTokens: 1 },
    { batchTokens: 100_000 },
  ])('gives the same scores with %o', async (options) => {
    const values = await logitsOf({ model: 'T', ...options }, pairs);
    values.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThanOrEqual(1e-5));
  });

  it('cuts the second text after so many pieces where it is asked to', async () => {
    const words = Array.from({ length: 300 }, () => 'bridge');
    const scorer = await BertScorer.load({ model: 'T' });
    const score = async (count: number, secondPieces?: number) =>
      (
        await scorer.score(
          [{ a: 'bridges', b: words.slice(0, count).join(' ') }],
          omitUndefined({ secondPieces }),
        )
      )[0];
    try {
      expect(await score(300, 126)).toBe(await score(126));
      expect(await score(300, 126)).not.toBe(await score(300));
      expect(await score(300, 400)).toBe(await score(254));
      const cost = scorer.costOf([{ a: 'bridges', b: words.join(' ') }], { secondPieces: 126 });
      expect(cost!.tokens).toBe(scorer.costOf([{ a: 'bridges', b: words.slice(0, 126).join(' ') }])!.tokens);
    } finally {
      await scorer.close();
    }
  });

  it('gives the same scores in whatever order the pairs come, and beside whatever others', async () => {
    const labels = expected.length / pairs.length;
    const scoresAt = (values: Float32Array, place: number) =>
      values.subarray(place * labels, (place + 1) * labels);
    const places = pairs.map((_, i) => (i * 7 + 3) % pairs.length);
    expect(new Set(places).size).toBe(pairs.length);
    const shuffled = await logitsOf(
      { model: 'T' },
      places.map((place) => pairs[place]),
    );
    const alone = await logitsOf({ model: 'T' }, [pairs[5]]);
    for (const [values, asked] of [[shuffled, places] as const, [alone, [5]] as const]) {
      expect(values).toHaveLength(asked.length * labels);
      asked.forEach((place, i) =>
        scoresAt(values, i).forEach((value, label) =>
          expect(Math.abs(value - scoresAt(expected, place)[label])).toBeLessThanOrEqual(1e-5),
        ),
      );
    }
  });

  it.each([1, 2, 3])(
    'gives the same scores whether %i workers share a call or it is too long for that',
    async (workers) => {
      const scorer = await BertScorer.load({ model: 'T', workers, batchTokens: 512 });
      const { messageTokens } = scorer.info;
      let left = pulledTokens(workers, messageTokens);
      const tooLong = pairs.findIndex((pair) => (left -= scorer.lengthOf(pair)) < 0);
      expect(tooLong).toBeGreaterThan(0);
      const reports: number[] = [];
      try {
        for (const length of [tooLong, tooLong + 1]) {
          let calls = 0;
          const some = pairs.slice(0, length);
          const { values } = await scorer.scoreLogits(some, { onProgress: () => calls++ });
          values.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThanOrEqual(1e-5));
          reports.push(calls);
        }
      } finally {
        await scorer.close();
      }
      // However many batches it has, a shared call is one task.
      const [within, beyond] = reports;
      if (workers > 1) expect(within).toBe(1);
      expect(beyond).toBeGreaterThan(1);
    },
  );

  it('says what it picked', async () => {
    const scorer = await BertScorer.load({ model: 'T', device: 'cpu', workers: 1 });
    expect(scorer.info).toMatchObject({
      device: 'cpu',
      precision: 'fp32',
      labels: 2,
      maxLength: 384,
      workers: 1,
      batchTokens: 1024,
      messageTokens: 2048,
    });
    await scorer.close();
  });

  it('refuses int8 where nothing is faster for it', async () => {
    const folder = await findModel('T');
    const preparing = prepareModel(folder, 'int8', 'cuda', await loadTokenizer(folder));
    await expect(preparing).rejects.toThrow('Precision int8 is not for cuda; use fp16 or tf32 or fp32.');
  });

  it('cuts longer texts at maxLength', async () => {
    const long = { a: 'how do bees navigate', b: 'bees follow the sun and remember landmarks '.repeat(60) };
    const at = (maxLength: number) => logitsOf({ model: 'T', maxLength, workers: 1 }, [long]);
    expect(await at(64)).not.toEqual(await at(128));
    const kept = { ...long, b: long.b.split(' ').slice(0, 300).join(' ') };
    expect(await logitsOf({ model: 'T', workers: 1 }, [kept])).toEqual(
      await logitsOf({ model: 'T', workers: 1 }, [long]),
    );
  });

  it.each([
    [{ workers: 0 }, 'workers must be a whole number from 1 to 1024, not 0'],
    [{ threads: Number.NaN }, 'threads must be a whole number from 1 to 1024, not NaN'],
    [{ batchTokens: -1 }, 'batchTokens must be a whole number from 1'],
    [{ device: 'gpu' as never }, 'device must be one of auto, cpu, webgpu, cuda, not gpu'],
    [{ precision: 'float16' as never }, 'precision must be one of auto, fp32, tf32, fp16, int8, not float16'],
  ])('refuses %j', async (options, message) => {
    await expect(BertScorer.load({ model: 'T', ...options })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  it('refuses pairs that are no array', async () => {
    const scorer = await BertScorer.load({ model: 'T', workers: 1 });
    await expect(scorer.score(undefined as never)).rejects.toThrow('The pairs are no array');
    await scorer.close();
  });

  it('refuses a length the model has no positions for', async () => {
    const model = await miniModel();
    await expect(BertScorer.load({ model, maxLength: 128 })).rejects.toThrow(
      /128 is not possible: .* 64 tokens/,
    );
  });

  it('keeps the event loop turning while it scores', async () => {
    const scorer = await BertScorer.load({ model: 'T' });
    let isScored = false;
    const scoring = scorer.score(demoPairs(1000)).then(() => (isScored = true));
    // A thread that ran the model itself would have finished its few calls after as many turns of its loop.
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    expect(isScored).toBe(false);
    await scoring;
    await scorer.close();
  });

  it('names the pair when the model gives no finite score', async () => {
    const weights = seededWeights(miniConfig);
    const overflowing: BertWeights = {
      ...weights,
      get: async (name) => {
        const values = await weights.get(name);
        return name === 'classifier.weight' ? values.fill(3e38) : values;
      },
    };
    const model = await miniModel(miniConfig, overflowing);
    const scorer = await BertScorer.load({ model, maxLength: 32, workers: 1 });
    const scoring = scorer.score([{ a: 'abc', b: `xyz ${'long '.repeat(50)}` }]);
    await expect(scoring).rejects.toThrow(
      /gave -?(Infinity|NaN) for pair 0 \("abc", "xyz long long [^"]*…"\)/,
    );
    await scorer.close();
  });
});

describe('a bad model is refused when it is loaded', () => {
  it('whose weights are cut short', async () => {
    const model = await miniModel();
    truncateSync(join(model, 'model.safetensors'), 5000);
    await expect(BertScorer.load({ model })).rejects.toMatchObject({ name: 'BertQeError' });
  });

  it('whose config tells of another model', async () => {
    const model = await miniModel();
    const file = join(model, 'config.json');
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('"num_hidden_layers": 2', '"num_hidden_layers": 3'),
    );
    await expect(BertScorer.load({ model })).rejects.toThrow(/missing encoder\.layer\.2/);
  });

  it('whose vocabulary is not its own', async () => {
    const model = await miniModel();
    const file = join(model, 'vocab.txt');
    writeFileSync(file, `${readFileSync(file, 'utf8')}extra\n`);
    await expect(BertScorer.load({ model })).rejects.toThrow(/vocabulary has 58 entries but the model 57/);
  });

  it('which is not there', async () => {
    await expect(BertScorer.load({ model: 'no-such-model' })).rejects.toThrow(/No model "no-such-model"/);
  });
});
