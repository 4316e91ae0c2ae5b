import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { throwIfAborted } from '../../common/errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import {
  type BertWeights,
  bertWeights,
  openCheckpoint,
  storedName,
  writeSafetensors,
} from '../checkpoint/index.js';
import { formatModelConfig, type ModelConfig } from '../config.js';
import { readModelConfig } from '../model-folder.js';
import { exportGraph } from '../graph/index.js';
import { writeSingleFileModel } from '../onnx/index.js';
import { loadTokenizer } from '../tokenizer/index.js';
import { copyTokenizer, writeNewModel } from './new-folder.js';

export interface ConvertOptions {
  /** Default `safetensors`; Transformers.js and other runtimes load `onnx`. */
  readonly format?: 'safetensors' | 'onnx';
  /** The type of safetensors; default `float32`. */
  readonly dtype?: 'float32' | 'float16';
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a model of any checkpoint format as a Hugging Face folder. `source` is a model folder or a checkpoint in one
 * (such as a TensorFlow prefix); configuration and tokenizer are taken from that folder.
 */
export async function convertModel(
  source: string,
  target: string,
  options: ConvertOptions = {},
): Promise<void> {
  const folder = await folderOf(source);
  const config = await readModelConfig(folder);
  await loadTokenizer(folder);
  const checkpoint = await openCheckpoint(source);
  try {
    const weights = bertWeights(checkpoint, config);
    await writeNewModel(target, options.signal, async () => {
      await copyTokenizer(folder, target);
      if (options.format === 'onnx') {
        await mkdir(join(target, 'onnx'));
        await writeSingleFileModel(exportGraph(weights), join(target, 'onnx/model.onnx'));
      } else {
        await writeWeights(weights, join(target, 'model.safetensors'), options);
      }
      // Last, because a folder with a config is a model.
      await writeConfig(config, target, options.format === 'onnx' ? 'float32' : options.dtype);
    });
  } finally {
    await checkpoint.close();
  }
}

export async function writeConfig(
  config: ModelConfig,
  folder: string,
  dtype: 'float32' | 'float16' = 'float32',
): Promise<void> {
  await writeFileAtomic(join(folder, 'config.json'), formatModelConfig(config, dtype));
}

async function writeWeights(
  weights: BertWeights,
  path: string,
  { dtype = 'float32', signal }: ConvertOptions,
) {
  const tensors = [...weights.shapes].map(([name, shape]) => ({
    name: storedName(name),
    shape,
    values: () => {
      throwIfAborted(signal);
      return weights.get(name);
    },
  }));
  await writeSafetensors(path, tensors, { dtype });
}

async function folderOf(source: string): Promise<string> {
  const info = await stat(source).catch(() => undefined);
  return info?.isDirectory() ? source : dirname(source);
}
