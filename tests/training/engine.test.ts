import { describe, expect, test } from 'vitest';
import { adamStep, gradientNorm } from '../../src/training/engine/adam.js';
import { drop } from '../../src/training/engine/dropout-masks.js';
import { openBertEngine } from '../../src/training/engine/bert-engine.js';
import { Parameter, EmbeddingTable } from '../../src/training/engine/parameter.js';
import { publishedAdam } from '../../src/training/graph/index.js';
import { Random } from '../../src/training/random.js';
import { miniConfig } from '../bert/scorer/mini-model.js';
import { seededWeights } from '../bert/graph/seeded-model.js';
import { seededBatch } from './seeded-batch.js';

const settings = {
  config: miniConfig,
  loss: 'pointwise' as const,
  dropout: 0,
  seed: 1,
  device: 'cpu' as const,
  threads: 1,
};

describe('an engine', () => {
  test('over-fits 64 pairs with random labels', async () => {
    const weights = seededWeights(miniConfig);
    const engine = await openBertEngine(settings, (name) => weights.get(name));
    const random = new Random('labels');
    const lengths = Array.from({ length: 64 }, () => 8 + random.below(10));
    const targets = lengths.flatMap(() => (random.unit() < 0.5 ? [1 / 64, 0] : [0, 1 / 64]));
    const batch = seededBatch(lengths, miniConfig.vocabulary, targets, 2);
    let loss = Number.POSITIVE_INFINITY;
    for (let step = 0; step < 400 && loss >= 0.01; step++)
      ({ loss } = await engine.step({ number: step, learningRate: 1e-3, batches: [batch] }));
    await engine.release();
    expect(loss).toBeLessThan(0.01);
  });

  test('leaves the weights as they are where gradients are not finite', async () => {
    const weights = seededWeights(miniConfig);
    const engine = await openBertEngine(settings, (name) => weights.get(name));
    engine.parameters.get('classifier.weight')!.values[0] = Number.NaN;
    const before = engine.parameters.get('pooler.dense.weight')!.values.slice();
    const batches = [seededBatch([9, 12], miniConfig.vocabulary, [1, 0, 0, 1], 2)];
    const outcome = await engine.step({ number: 0, learningRate: 1e-3, batches });
    expect(outcome).toEqual({ loss: Number.NaN, gradientNorm: Number.NaN });
    expect(engine.parameters.get('pooler.dense.weight')!.values).toEqual(before);
    await engine.release();
  });
});

/** The update of the paper's optimiser, one number at a time. */
function expected(w: number, gradients: readonly number[], rate: number, decay: number): number {
  let [m, v] = [0, 0];
  for (const g of gradients) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    w -= rate * (m / (Math.sqrt(v) + 1e-6) + decay * w);
  }
  return w;
}

describe('the optimiser', () => {
  test.each([
    ['encoder.layer.0.output.dense.weight', 0.01],
    ['encoder.layer.0.output.dense.bias', 0],
    ['encoder.layer.0.output.LayerNorm.weight', 0],
  ])('decays %s by %s', (name, decay) => {
    const parameter = new Parameter(name, [2], Float32Array.of(0.5, -2));
    for (const scale of [1, -0.5]) {
      parameter.gradient.set([0.3 * scale, 0.1 * scale]);
      adamStep(parameter, publishedAdam, 0.01, gradientNorm([parameter]));
    }
    expect(parameter.values[0]).toBeCloseTo(expected(0.5, [0.3, -0.15], 0.01, decay), 6);
    expect(parameter.values[1]).toBeCloseTo(expected(-2, [0.1, -0.05], 0.01, decay), 6);
  });

  test('scales gradients down to a norm of 1, all tensors together', () => {
    const one = new Parameter('a.weight', [1], Float32Array.of(1));
    const two = new Parameter('b.weight', [1], Float32Array.of(1));
    one.gradient[0] = 30;
    two.gradient[0] = 40;
    expect(gradientNorm([one, two])).toBe(50);
    for (const each of [one, two]) adamStep(each, publishedAdam, 0.01, 50);
    expect(one.m[0]).toBeCloseTo(0.06, 6);
    expect(two.m[0]).toBeCloseTo(0.08, 6);
  });

  test('treats rows of a table that no token touched as if they had been looked at', () => {
    const values = Float32Array.from({ length: 12 }, (_, i) => i - 5);
    const table = new EmbeddingTable('words.weight', [4, 3], values.slice());
    const whole = new Parameter('words.weight', [4, 3], values.slice());
    const gradient = Float32Array.of(0.1, -0.2, 0.3);
    for (const row of [1, 2, 1]) {
      table.clearGradient();
      table.add(row, gradient, 0);
      whole.gradient.fill(0).set(gradient, row * 3);
      for (const parameter of [table, whole])
        adamStep(parameter, publishedAdam, 0.01, gradientNorm([parameter]));
      expect(table.values).toEqual(whole.values);
    }
  });

  test('lets moments that have faded away end at 0, not among the denormals', () => {
    const parameter = new Parameter('a.weight', [1], Float32Array.of(1));
    parameter.gradient[0] = 1e-3;
    adamStep(parameter, publishedAdam, 0, 0);
    parameter.gradient[0] = 0;
    for (let step = 0; step < 1000; step++) adamStep(parameter, publishedAdam, 0, 0);
    expect(parameter.m[0]).toBe(0);
    expect(parameter.v[0]).toBeGreaterThan(0);
  });
});

describe('dropout', () => {
  test.each([0.1, 0.5])('drops a share of %s and keeps the expectation', (rate) => {
    const mask = new Float32Array(1_000_000);
    drop(mask, rate, new Random('mask'));
    const zeros = mask.reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) / mask.length;
    expect(zeros).toBeCloseTo(rate, 2);
    expect(mask.reduce((sum, value) => sum + value, 0) / mask.length).toBeCloseTo(1, 2);
  });

  test('is the same for the same run and another for another', () => {
    const masks = ['a', 'a', 'b'].map((run) => {
      const mask = new Float32Array(200);
      drop(mask, 0.1, new Random('dropout', 1, run));
      return [...mask];
    });
    expect(masks[0]).toEqual(masks[1]);
    expect(masks[0]).not.toEqual(masks[2]);
  });
});
