import { describe, expect, test } from 'vitest';
import { trainingSettings } from '../../src/training/settings.js';
import { learningRateAt } from '../../src/training/training-loop.js';

describe('training options', () => {
  test.each([
    [{ steps: 3, epochs: 2 }, 'epochs and steps exclude each other'],
    [{ batch: 0 }, 'batch must be a whole number from 1'],
    [{ learningRate: -1 }, 'learningRate must be a number from'],
    [{ groupSize: 4 }, 'groupSize belongs to the loss listwise or residual, not to pointwise'],
    [{ loss: 'listwise', lossAlpha: 0.3 }, 'lossAlpha belongs to the loss residual, not to listwise'],
    [{ loss: 'residual', negatives: 7 }, 'negatives belongs to the loss pointwise or pairwise or listwise'],
    [{ loss: 'residual', lossAlpha: 2 }, 'lossAlpha must be a number from 0 to 1, not 2'],
    [{ loss: 'hinge' }, 'loss must be one of pointwise, pairwise, listwise, residual, not "hinge"'],
    [{ precision: 'bf16' }, 'precision must be one of fp32, tf32, fp16, not "bf16"'],
    [{ precision: 'fp16' }, 'precision fp16 is not for cpu; use fp32'],
    [{ device: 'cuda', precision: 'fp32' }, 'precision fp32 is not for cuda; use fp16 or tf32'],
    [
      { device: 'cuda', loss: 'residual', precision: 'fp16' },
      'precision fp16 is not for the loss residual; use tf32',
    ],
    [{ optimiser: 'sgd' }, 'optimiser must be one of adam, muon, not "sgd"'],
    [{ maskedShare: 0.2 }, 'maskedShare belongs to the loss masked, not to pointwise'],
    [{ loss: 'masked' }, 'loss must be one of pointwise, pairwise, listwise, residual, not "masked"'],
    [{ epoch: 3 }, 'there is no option "epoch"'],
  ])('%j are refused', (options, message) => {
    expect(() => trainingSettings(options as never)).toThrow(message);
  });

  test('of the residual loss are of its own where nothing is said', () => {
    expect(trainingSettings({ loss: 'residual' })).toMatchObject({
      groupSize: 24,
      batch: 96,
      lossAlpha: 0.3,
      lossBeta: 0.95,
      learningRate: 1e-6,
    });
    expect(trainingSettings({ loss: 'listwise' })).toMatchObject({ groupSize: 8, batch: 32 });
  });

  test('of text and of stored scores are of their own', () => {
    expect(trainingSettings({}, 'masked')).toMatchObject({
      loss: 'masked',
      batch: 256,
      learningRate: 1e-4,
      maskedShare: 0.15,
    });
    expect(trainingSettings({ groupSize: 4 }, 'distilled')).toMatchObject({
      loss: 'distilled',
      batch: 256,
      groupSize: 4,
    });
    expect(() => trainingSettings({ depth: 5 }, 'distilled')).toThrow('depth belongs to the loss pointwise');
    expect(() => trainingSettings({ loss: 'listwise' }, 'distilled')).toThrow('its loss is distilled; leave');
    expect(trainingSettings({ device: 'cuda' }, 'masked')).toMatchObject({ precision: 'fp16' });
  });

  test('are of 16 bits and of large micro-batches on CUDA, but for the residual loss', () => {
    expect(trainingSettings({ device: 'cuda' })).toMatchObject({ precision: 'fp16', batchTokens: 16_384 });
    expect(trainingSettings({ device: 'cuda', precision: 'tf32', batchTokens: 500 })).toMatchObject({
      precision: 'tf32',
      batchTokens: 500,
    });
    expect(trainingSettings({ device: 'cuda', loss: 'residual' })).toMatchObject({ precision: 'tf32' });
    expect(trainingSettings({ device: 'webgpu' })).toMatchObject({ precision: 'fp32', batchTokens: 2048 });
  });

  test("are the paper's where nothing is said", () => {
    expect(trainingSettings()).toMatchObject({
      epochs: 2,
      batch: 32,
      learningRate: 1e-6,
      warmup: 0.1,
      maxLength: 384,
      dropout: 0.1,
      loss: 'pointwise',
      depth: 1000,
    });
  });
});

test('the learning rate rises to its peak and falls to nothing', () => {
  const rates = Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.1));
  expect(rates.slice(0, 3)).toEqual([0.5, 1, 1]);
  expect(rates[19]).toBeCloseTo(1 / 18, 12);
  expect(rates.slice(2)).toEqual(rates.slice(2).toSorted((a, b) => b - a));
  expect(learningRateAt(0, 1, 1, 0.1)).toBe(1);
});

test("BERT's own schedule starts at nothing, and falls as if there were no warm-up", () => {
  const rates = Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.1, 'bert'));
  expect(rates.slice(0, 4)).toEqual([0, 0.5, 1 - 2 / 20, 1 - 3 / 20]);
  expect(rates[19]).toBeCloseTo(1 / 20, 12);
  expect(learningRateAt(0, 10, 2, 0, 'bert')).toBe(2);
});

test('on a plateau, the learning rate stays at its peak for a third of the steps', () => {
  const rates = Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.1, 'plateau'));
  expect(rates.slice(0, 8)).toEqual([0.5, 1, 1, 1, 1, 1, 1, 1]);
  expect(rates[8]).toBeCloseTo(12 / 13, 12);
  expect(rates[19]).toBeCloseTo(1 / 13, 12);
  // A longer warm-up leaves no plateau.
  const late = Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.5, 'plateau'));
  expect(late).toEqual(Array.from({ length: 20 }, (_, step) => learningRateAt(step, 20, 1, 0.5)));
});

const sum = (schedule: 'linear' | 'bert'): number =>
  Array.from({ length: 9375 }, (_, step) => learningRateAt(step, 9375, 1e-6, 0.1, schedule)).reduce(
    (total, rate) => total + rate,
  );

test('over the steps of a Robust04 fold, the default schedule moves the weights by a tenth more', () => {
  expect(sum('linear') / sum('bert')).toBeCloseTo(1.099, 3);
});

test('patience has no meaning where the last weights are kept', () => {
  expect(() => trainingSettings({ keep: 'last', patience: 2 })).toThrow('with keep: last none are chosen');
  expect(() => trainingSettings({ schedule: 'cosine' as 'bert' })).toThrow(
    'schedule must be one of linear, bert',
  );
});
