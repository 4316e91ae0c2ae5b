import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closing } from '../../common/closing.js';
import { throwIfAborted } from '../../common/errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import {
  type BertWeights,
  bertWeights,
  openCheckpoint,
  roundFraction,
  storedName,
  writeSafetensors,
} from '../checkpoint/index.js';
import { type ConfigForm, formatModelConfig, type ModelConfig } from '../config.js';
import { loadTokenizer, readModelConfig } from '../model-folder.js';
import { exportGraph } from '../graph/index.js';
import { writeSingleFileModel } from '../onnx/index.js';
import { copyTokenizer, writeNewModel } from './new-folder.js';

interface ConvertOptions {
  /**
   * Default `safetensors`; Transformers.js and other runtimes load `onnx`. `web` is what pages download: float16,
   * rounded so that it compresses well, as `model.safetensors.gz`.
   */
  readonly format?: 'safetensors' | 'onnx' | 'web';
  /** The type of safetensors; default `float32`. Of `web`, float16. */
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
  return closing(openCheckpoint(source), async (checkpoint) => {
    const weights = bertWeights(checkpoint, config);
    await writeNewModel(target, options.signal, async () => {
      await copyTokenizer(folder, target);
      if (options.format === 'onnx') {
        await mkdir(join(target, 'onnx'));
        await writeSingleFileModel(exportGraph(weights), join(target, 'onnx/model.onnx'));
      } else {
        await writeWeights(weights, target, options);
      }
      // Last, because a folder with a config is a model.
      await writeConfig(config, target, { dtype: dtypeOf(options) });
    });
  });
}

export async function writeConfig(config: ModelConfig, folder: string, form?: ConfigForm): Promise<void> {
  await writeFileAtomic(join(folder, 'config.json'), formatModelConfig(config, form));
}

function dtypeOf({ format, dtype = 'float32' }: ConvertOptions): 'float32' | 'float16' {
  return format === 'onnx' ? 'float32' : format === 'web' ? 'float16' : dtype;
}

/** Rows of matrices that are too small to round. */
const FEW_ROWS = 2;

/**
 * Bits of fraction, of float16's ten, that the web form keeps of a matrix: with gzip, T takes 3.8 MB in place of 4.8.
 * Embeddings are four fifths of T, and layers are more sensitive. Vectors, segments and the classifier stay as they are.
 */
function fractionBits(name: string, shape: readonly number[]): number | undefined {
  if (shape.length < 2 || shape[0] <= FEW_ROWS) return undefined;
  return name.startsWith('embeddings.') ? 6 : 8;
}

async function writeWeights(weights: BertWeights, folder: string, options: ConvertOptions) {
  const isWeb = options.format === 'web';
  const tensors = [...weights.shapes].map(([name, shape]) => ({
    name: storedName(name),
    shape,
    values: async () => {
      throwIfAborted(options.signal);
      const values = await weights.get(name);
      const bits = isWeb ? fractionBits(name, shape) : undefined;
      return bits === undefined ? values : roundFraction(values, bits);
    },
  }));
  const file = join(folder, isWeb ? 'model.safetensors.gz' : 'model.safetensors');
  await writeSafetensors(file, tensors, { dtype: dtypeOf(options) });
}

async function folderOf(source: string): Promise<string> {
  const info = await stat(source).catch(() => undefined);
  return info?.isDirectory() ? source : dirname(source);
}
