import { afterAll, describe, expect, test } from 'vitest';
import type { ModelConfig } from '../../src/bert/config.js';
import { DeviceEngine } from '../../src/training/engine/device-engine.js';
import { type BertEngine, openBertEngine } from '../../src/training/engine/bert-engine.js';
import type { EngineSettings } from '../../src/training/engine/training-engine.js';
import { halves, type TrainingBatch } from '../../src/training/engine/micro-batch.js';
import { SmallerBatches } from '../../src/training/engine/smaller-batches.js';
import { seededWeights } from '../bert/graph/seeded-model.js';
import { distilledTargets } from '../../src/training/data/distilled-data.js';
import { headOf } from '../../src/training/graph/index.js';
import { cut, maskedBatch, seededBatch } from './seeded-batch.js';

// The graphs for CUDA, run on a CPU: all of their operators are there too.

const config: ModelConfig = {
  modelType: 'bert',
  layers: 3,
  hidden: 64,
  heads: 4,
  intermediate: 160,
  vocabulary: 300,
  maxPositions: 64,
  typeVocabulary: 2,
  labels: 2,
  layerNormEps: 1e-12,
  activation: 'gelu',
};
const usual: EngineSettings = {
  config,
  loss: 'pointwise',
  dropout: 0,
  seed: 1,
  device: 'cpu',
  threads: 1,
};
const lengths = [23, 17, 40, 9, 31, 40, 12, 28];
const pointwise = lengths.flatMap((_, i) => (i % 3 === 0 ? [0, 1 / 8] : [1 / 8, 0]));
const batch = seededBatch(lengths, config.vocabulary, pointwise, 2);

const scored = seededBatch(
  lengths,
  config.vocabulary,
  [
    [2, -1, 0.5, -3],
    [-2, -2, 1, 4],
  ].flatMap((logOdds) => distilledTargets(logOdds, 2).row),
  12,
);
const masked = maskedBatch(lengths, config.vocabulary);

const engines: { release(): Promise<void> }[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.release())));

async function deviceEngine(more: Partial<EngineSettings> = {}): Promise<DeviceEngine> {
  const settings = { ...usual, ...more };
  const weights = seededWeights(settings.config, headOf(settings.loss));
  const engine = await DeviceEngine.open(settings, (name) => weights.get(name));
  engines.push(engine);
  return engine;
}

async function both(more: Partial<EngineSettings> = {}): Promise<[BertEngine, DeviceEngine]> {
  const settings = { ...usual, ...more };
  const weights = seededWeights(settings.config, headOf(settings.loss));
  const engine = await openBertEngine(settings, (name) => weights.get(name));
  engines.push(engine);
  return [engine, await deviceEngine(more)];
}

function norm(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}

const copies = ({ parameters }: DeviceEngine) =>
  new Map([...parameters].map(([name, { values }]) => [name, values.slice()]));

/** Three steps, of one micro-batch, of two and of three. */
const steps = (whole = batch, parts = [8, 4, 3]) =>
  [1e-4, 5e-5, 2e-5].map((learningRate, number) => ({
    number,
    learningRate,
    batches: cut(whole, parts[number]),
  }));

/** Parameters whose true gradient is 0, in groups: what they have is noise, which Adam makes as large as any change. */
const idle = /self\.key\.bias$|^classifier\.bias$/;

/** The largest difference between the changes of a tensor, relative to the change. */
function differenceOfChanges(
  engine: BertEngine,
  device: DeviceEngine,
  before: Map<string, Float32Array>,
): number {
  let worst = 0;
  for (const [name, { values }] of engine.parameters) {
    if (idle.test(name)) continue;
    const start = before.get(name)!;
    const found = device.parameters.get(name)!.values;
    const size = norm(values.map((value, i) => value - start[i]));
    if (size === 0) continue;
    worst = Math.max(worst, norm(values.map((value, i) => value - found[i])) / size);
  }
  return worst;
}

describe('steps in one call', () => {
  const grouped = seededBatch(lengths, config.vocabulary, [0.5, 0, 0, 0, 0, 0.5, 0, 0], 4);
  test.each<[string, Partial<EngineSettings>, typeof batch, number, number]>([
    ['of 32 bits', {}, batch, 1e-5, 1e-3],
    ['of 16 bits', { precision: 'fp16' }, batch, 1e-2, 5e-2],
    ['with the tanh approximation', { config: { ...config, activation: 'gelu_new' } }, batch, 1e-5, 1e-3],
    [
      'with relu, of 16 bits',
      { config: { ...config, activation: 'relu' }, precision: 'fp16' },
      batch,
      1e-2,
      5e-2,
    ],
    ['with one label and one layer', { config: { ...config, labels: 1, layers: 1 } }, batch, 1e-5, 1e-3],
    ['of groups', { loss: 'listwise' }, grouped, 1e-5, 1e-3],
    ['by Muon', { optimiser: 'muon' }, batch, 1e-5, 1e-3],
    ['of masked tokens, by Muon', { loss: 'masked', optimiser: 'muon' }, masked, 1e-5, 1e-3],
    ["of a teacher's scores", { loss: 'distilled' }, scored, 1e-5, 1e-3],
    ['of masked tokens', { loss: 'masked' }, masked, 1e-5, 1e-3],
    ['of masked tokens, of 16 bits', { loss: 'masked', precision: 'fp16' }, masked, 1e-2, 5e-2],
  ])('%s are those of the engine of a CPU', async (_, more, whole, ofLoss, ofChanges) => {
    const [engine, device] = await both(more);
    const before = copies(device);
    const all = steps(whole, [8, 4, 4]);
    const found = await device.steps(all);
    const expected = await engine.steps(all);
    expect(found).toHaveLength(3);
    found.forEach(({ loss, gradientNorm }, i) => {
      expect(Math.abs(loss / expected[i].loss - 1)).toBeLessThan(ofLoss);
      expect(Math.abs(gradientNorm / expected[i].gradientNorm - 1)).toBeLessThan(ofLoss);
    });
    expect(differenceOfChanges(engine, device, before)).toBeLessThan(ofChanges);
  });

  test('are those of several calls', async () => {
    const [together, apart] = [await deviceEngine(), await deviceEngine()];
    await together.steps(steps());
    for (const step of steps()) await apart.steps([step]);
    for (const [name, { values, m, v }] of together.parameters) {
      const other = apart.parameters.get(name)!;
      expect([values, m, v], name).toEqual([other.values, other.m, other.v]);
    }
  });

  test('give the logits of the engine of a CPU', async () => {
    const [engine, device] = await both();
    const batches = cut(batch, 3);
    const expected = await engine.score(batches);
    const found = await device.score(batches);
    expect(found).toHaveLength(expected.length);
    found.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 5));
    const half = await (await deviceEngine({ precision: 'fp16' })).score(batches);
    half.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(5e-3));
  });
});

describe('the loss on a device that validation goes by', () => {
  test.each([
    ['masked', masked],
    ['distilled', scored],
  ] as const)('(%s) is that of the engine of a CPU', async (loss, whole) => {
    const [engine, device] = await both({ loss });
    const batches = cut(whole, 4);
    const expected = await engine.score(batches);
    const found = await device.score(batches);
    expect(found).toHaveLength(batches.length);
    found.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 5));
    const sum = found.reduce((total, value) => total + value, 0);
    expect(sum).toBeCloseTo((await engine.step({ number: 0, learningRate: 0, batches: [whole] })).loss, 4);
  });
});

describe('dropout on a device', () => {
  test('differs from step to step and keeps the loss near that without', async () => {
    const still = { number: 0, learningRate: 0, batches: [batch] };
    const repeated = Array.from({ length: 40 }, (_, number) => ({ ...still, number }));
    const [without] = await (await deviceEngine()).steps([still]);
    const losses = (await (await deviceEngine({ dropout: 0.1 })).steps(repeated)).map(({ loss }) => loss);
    expect(new Set(losses).size).toBe(40);
    const mean = losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
    expect(Math.abs(mean / without.loss - 1)).toBeLessThan(0.1);
  });

  test('has the gradient of what it dropped: a small step against it lowers the loss', async () => {
    const engine = await deviceEngine({ dropout: 0.3 });
    const many = Array.from({ length: 60 }, (_, number) => ({
      number,
      learningRate: 2e-4,
      batches: [batch],
    }));
    const outcomes = await engine.steps(many);
    const mean = (some: typeof outcomes) => some.reduce((sum, { loss }) => sum + loss, 0) / some.length;
    expect(mean(outcomes.slice(-10))).toBeLessThan(0.8 * mean(outcomes.slice(0, 10)));
  });
});

describe('gradients that are not finite', () => {
  test('end the steps and leave the weights as they were', async () => {
    const engine = await deviceEngine();
    engine.parameters.get('classifier.weight')!.values[0] = Number.NaN;
    const before = engine.parameters.get('pooler.dense.weight')!.values.slice();
    expect(await engine.steps(steps())).toEqual([{ loss: Number.NaN, gradientNorm: Number.NaN }]);
    expect(engine.parameters.get('pooler.dense.weight')!.values).toEqual(before);
  });

  test('of 16 bits are computed again with a smaller factor', async () => {
    const [engine, device] = await both({ precision: 'fp16' });
    // The gradient of the logits is 60000 times as large: with the first factor it is beyond 65504.
    const large = { ...batch, targets: batch.targets.map((value) => 60_000 * value) };
    const before = copies(device);
    const all = steps(large);
    const found = await device.steps(all);
    const expected = await engine.steps(all);
    expect(found).toHaveLength(3);
    found.forEach(({ gradientNorm }, i) =>
      expect(Math.abs(gradientNorm / expected[i].gradientNorm - 1)).toBeLessThan(1e-2),
    );
    expect(differenceOfChanges(engine, device, before)).toBeLessThan(5e-2);
  });
});

/** Counts the tokens of every micro-batch, and fails where one has more than there is memory for. */
function card(tokens: number) {
  const runs: number[][] = [];
  const work = async (parts: readonly { batches: readonly TrainingBatch[] }[]) => {
    const sizes = parts.flatMap(({ batches }) => batches.map(({ ids }) => ids.length));
    runs.push(sizes);
    if (sizes.some((size) => size > tokens)) throw new Error('CUDA failure 2: out of memory ; GPU=0');
    return parts.flatMap(({ batches }) => batches.flatMap(({ lengths: some }) => [...some]));
  };
  return { runs, work };
}

describe('micro-batches for which a card has no memory', () => {
  test('are halved until it has, and from then on at once', async () => {
    const { runs, work } = card(100);
    const smaller = new SmallerBatches();
    expect(await smaller.run([{ batches: [batch] }], work)).toEqual(lengths);
    expect(runs).toEqual([[200], [89, 111], [40, 49, 71, 40]]);
    expect(await smaller.run([{ batches: [batch] }], work)).toEqual(lengths);
    expect(runs).toHaveLength(4);
  });

  test('end the training with one sentence where a single sequence is too much', async () => {
    const running = new SmallerBatches().run([{ batches: [batch] }], card(30).work);
    await expect(running).rejects.toThrow(
      /^The memory of the card does not hold the training of this model\.$/,
    );
  });

  test('are not tried again for other reasons', async () => {
    let runs = 0;
    const lost = async () => {
      runs++;
      throw new Error('CUDA failure 719: unspecified launch failure ; GPU=0');
    };
    await expect(new SmallerBatches().run([{ batches: [batch] }], lost)).rejects.toThrow(
      'The card failed (CUDA failure 719: unspecified launch failure).',
    );
    expect(runs).toBe(1);
  });

  test('are halved between groups', () => {
    const groups = { ...batch, targets: batch.targets.slice(0, 8), columns: 4 };
    const parts = halves(groups);
    expect(parts.map(({ lengths: some }) => [...some])).toEqual([lengths.slice(0, 4), lengths.slice(4)]);
    expect(parts.map(({ targets }) => [...targets])).toEqual([
      pointwise.slice(0, 4).map(Math.fround),
      pointwise.slice(4, 8).map(Math.fround),
    ]);
    expect(halves(parts[0])).toEqual([parts[0]]);
    const wanted = halves(masked).map((part) => [...part.wanted!]);
    expect(wanted.map(({ length }) => length)).toEqual([89, 111]);
    expect(wanted.flat()).toEqual([...masked.wanted!]);
  });
});
