import { describe, expect, test } from 'vitest';
import { bertTensorShapes, bertWeights, parameterCount } from '../../../src/bert/checkpoint/index.js';
import type { DType } from '../../../src/bert/checkpoint/dtype.js';
import type { CheckpointFile, TensorInfo } from '../../../src/bert/checkpoint/checkpoint-file.js';
import { BertQeError } from '../../../src/common/errors.js';
import { fixtureConfig } from './fixture-model.js';

/** A checkpoint in memory: the tensors of the fixture's config, with some replaced (or taken away: undefined). */
function checkpointWith(
  changes: Record<string, Partial<TensorInfo> | undefined>,
  value = 0.5,
): CheckpointFile {
  const tensors = new Map<string, TensorInfo>();
  for (const [name, shape] of bertTensorShapes(fixtureConfig))
    tensors.set(name, { name, shape, dtype: 'float32' });
  for (const [name, change] of Object.entries(changes)) {
    if (change === undefined) tensors.delete(name);
    else tensors.set(name, { name, shape: [8], dtype: 'float32' as DType, ...tensors.get(name), ...change });
  }
  return {
    path: 'checkpoint',
    format: 'safetensors',
    tensors,
    read: async (name) =>
      new Float32Array(tensors.get(name)!.shape.reduce((product, size) => product * size, 1)).fill(value),
    close: async () => {},
  };
}

function failureOf(changes: Record<string, Partial<TensorInfo> | undefined>): string {
  try {
    bertWeights(checkpointWith(changes), fixtureConfig);
  } catch (error) {
    expect(error).toBeInstanceOf(BertQeError);
    return (error as BertQeError).message;
  }
  throw new Error('nothing was refused');
}

describe('tensors that do not fit the config', () => {
  test('are all listed in one error', () => {
    const message = failureOf({
      'encoder.layer.0.attention.self.query.weight': undefined,
      'encoder.layer.1.output.dense.bias': undefined,
      'encoder.layer.2.output.dense.bias': {},
      'mystery.weight': {},
      'pooler.dense.weight': { shape: [8, 9] },
      'classifier.bias': { dtype: 'int64' },
    });
    expect(message).toContain(
      'missing encoder.layer.0.attention.self.query.weight, encoder.layer.1.output.dense.bias',
    );
    expect(message).toContain('unexpected encoder.layer.2.output.dense.bias, mystery.weight');
    expect(message).toContain('pooler.dense.weight has shape [8, 9], expected [8, 8]');
    expect(message).toContain('classifier.bias holds int64, expected floats');
    expect(message).not.toContain('\n');
  });

  test('are listed whatever is in their names', () => {
    expect(failureOf({ 'a\nb': {}, '': {} })).toContain('unexpected a\nb, ');
  });

  test('are refused when two stored names mean one tensor', () => {
    expect(failureOf({ 'bert.pooler.dense.bias': {} })).toContain(
      'pooler.dense.bias is both pooler.dense.bias and bert.pooler.dense.bias',
    );
  });

  test('say that a model was only pre-trained when just its head is missing', () => {
    const message = failureOf({ 'classifier.weight': undefined, 'classifier.bias': undefined });
    expect(message).toContain('the model was only pre-trained: fine-tune it first');
    expect(message).toContain('missing classifier.weight, classifier.bias');
  });

  test('are told apart by the number of labels', () => {
    const one = { 'classifier.weight': { shape: [1, 8] }, 'classifier.bias': { shape: [1] } };
    expect(failureOf(one)).toContain('classifier.weight has shape [1, 8], expected [2, 8]');
    expect(
      bertWeights(checkpointWith(one), { ...fixtureConfig, labels: 1 }).shapes.get('classifier.weight'),
    ).toEqual([1, 8]);
  });
});

describe('weights', () => {
  test('with NaN or infinite values are refused when read', async () => {
    const weights = bertWeights(checkpointWith({}, Number.NaN), fixtureConfig);
    await expect(weights.get('pooler.dense.bias')).rejects.toThrow(
      'pooler.dense.bias holds NaN at element 0',
    );
  });

  test('have as many elements as the config has parameters', () => {
    // 35 rows of embeddings with a layer norm, 2 layers, the pooler, 2 labels; all 8 wide, 12 in between.
    expect(parameterCount(fixtureConfig)).toBe(35 * 8 + 16 + 2 * (4 * 72 + 108 + 104 + 32) + 72 + 18);
  });

  test('ignore optimiser state, counters and language-model heads knowingly', () => {
    const extras = [
      'global_step',
      'bert/pooler/dense/kernel/adam_m',
      'bert/pooler/dense/kernel/adam_v',
      'cls/predictions/transform/dense/kernel',
      'cls.predictions.decoder.weight',
      'cls.seq_relationship.weight',
      'embeddings.position_ids',
    ];
    const changes = Object.fromEntries(extras.map((name) => [name, {}]));
    expect(() => bertWeights(checkpointWith(changes), fixtureConfig)).not.toThrow();
  });
});
