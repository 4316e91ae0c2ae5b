import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bertWeights, openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { readModelConfig } from '../../../src/bert/model-folder.js';
import { fixture, fixtureConfig, fixtureModel } from './fixture-model.js';
import { temporaryFolder } from '../scorer/mini-model.js';

const cases: [title: string, path: string, format: string][] = [
  ['safetensors float32', 'safetensors/float32.safetensors', 'safetensors'],
  ['safetensors float16', 'safetensors/float16.safetensors', 'safetensors'],
  ['safetensors bfloat16', 'safetensors/bfloat16.safetensors', 'safetensors'],
  ['safetensors float64', 'safetensors/float64.safetensors', 'safetensors'],
  ['safetensors in shards (folder)', 'safetensors-sharded', 'safetensors'],
  ['PyTorch float32', 'pytorch/float32.bin', 'pytorch'],
  ['PyTorch float16', 'pytorch/float16.bin', 'pytorch'],
  ['PyTorch bfloat16', 'pytorch/bfloat16.bin', 'pytorch'],
  ['PyTorch float64', 'pytorch/float64.bin', 'pytorch'],
  ['PyTorch of nn.Parameter', 'pytorch/parameters.bin', 'pytorch'],
  ['PyTorch with module versions', 'pytorch/metadata.bin', 'pytorch'],
  ['PyTorch pickled by protocol 4', 'pytorch/protocol4.bin', 'pytorch'],
  ['PyTorch transposed views of one storage', 'pytorch/strided.bin', 'pytorch'],
  ['PyTorch in shards (folder)', 'pytorch-sharded', 'pytorch'],
  ['TensorFlow with optimiser state (folder)', 'tensorflow', 'tensorflow'],
  ['TensorFlow by prefix', 'tensorflow/bert_model.ckpt', 'tensorflow'],
  ['TensorFlow by index file', 'tensorflow/bert_model.ckpt.index', 'tensorflow'],
  ['TensorFlow by data file', 'tensorflow/bert_model.ckpt.data-00000-of-00001', 'tensorflow'],
  ['TensorFlow half', 'tensorflow-half', 'tensorflow'],
  ['TensorFlow bfloat16', 'tensorflow-bfloat16', 'tensorflow'],
  ['TensorFlow in three data files', 'tensorflow-sharded', 'tensorflow'],
];

describe('a checkpoint gives the same weights from every format', () => {
  test.each(cases)('%s', async (_, path, format) => {
    const checkpoint = await openCheckpoint(fixture(path));
    try {
      expect(checkpoint.format).toBe(format);
      const weights = bertWeights(checkpoint, fixtureConfig);
      const expected = fixtureModel();
      expect([...weights.shapes.keys()].sort()).toEqual([...expected.keys()].sort());
      for (const [name, values] of expected) expect(await weights.get(name), name).toEqual(values);
    } finally {
      await checkpoint.close();
    }
  });

  test('one label, gamma/beta names and buffers of older versions', async () => {
    const config = { ...fixtureConfig, labels: 1 };
    const checkpoint = await openCheckpoint(fixture('safetensors/one-label-old-names.safetensors'));
    const weights = bertWeights(checkpoint, config);
    for (const [name, values] of fixtureModel(config)) expect(await weights.get(name), name).toEqual(values);
    expect([...checkpoint.tensors.keys()]).toEqual(
      expect.arrayContaining(['bert.embeddings.position_ids', 'cls.predictions.bias']),
    );
    await checkpoint.close();
  });

  test('Google’s config beside a TensorFlow checkpoint', async () => {
    expect(await readModelConfig(fixture('tensorflow'))).toEqual(fixtureConfig);
  });

  test('no head when only the encoder is wanted', async () => {
    const checkpoint = await openCheckpoint(fixture('pytorch/float32.bin'));
    const weights = bertWeights(checkpoint, fixtureConfig, { head: 'none' });
    expect(weights.shapes.has('classifier.weight')).toBe(false);
    expect(checkpoint.tensors.has('classifier.weight')).toBe(true);
    await expect(weights.get('classifier.weight')).rejects.toThrow('no tensor "classifier.weight"');
    await checkpoint.close();
  });
});

describe('a folder', () => {
  test('with safetensors and PyTorch weights is read from safetensors', async () => {
    const folder = temporaryFolder();
    await copyFile(fixture('safetensors/float32.safetensors'), join(folder, 'model.safetensors'));
    await copyFile(fixture('pytorch/float32.bin'), join(folder, 'pytorch_model.bin'));
    const checkpoint = await openCheckpoint(folder);
    expect(checkpoint.path).toBe(join(folder, 'model.safetensors'));
    await checkpoint.close();
  });

  test('with several TensorFlow checkpoints follows its "checkpoint" file, or asks', async () => {
    const folder = temporaryFolder();
    for (const step of [1, 2]) {
      for (const part of ['index', 'data-00000-of-00001']) {
        await copyFile(
          fixture(`tensorflow-half/model.ckpt-7.${part}`),
          join(folder, `model.ckpt-${step}.${part}`),
        );
      }
    }
    await expect(openCheckpoint(folder)).rejects.toThrow(
      'holds model.ckpt-1.index, model.ckpt-2.index: name the one to open',
    );
    await writeFile(join(folder, 'checkpoint'), 'model_checkpoint_path: "/elsewhere/model.ckpt-2"\n');
    const checkpoint = await openCheckpoint(folder);
    expect(checkpoint.path).toBe(join(folder, 'model.ckpt-2'));
    await checkpoint.close();
  });

  test('without readable weights says what is expected', async () => {
    const folder = temporaryFolder();
    await expect(openCheckpoint(folder)).rejects.toThrow('no weights here (model.safetensors,');
    await writeFile(join(folder, 'tf_model.h5'), 'x');
    await expect(openCheckpoint(folder)).rejects.toThrow(
      'tf_model.h5 cannot be read: convert to safetensors',
    );
    await expect(openCheckpoint(join(folder, 'nothing'))).rejects.toThrow(
      'no such file, folder or checkpoint',
    );
    await expect(openCheckpoint(join(folder, 'tf_model.h5'))).rejects.toThrow(
      'not a checkpoint this program knows',
    );
  });
});
