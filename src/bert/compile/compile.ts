import { join } from 'node:path';
import { inCache } from '../../common/cache-folder.js';
import { hashJson } from '../../common/hash.js';
import { type BertWeights, bertWeights, openCheckpoint } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import {
  type Arithmetic,
  type BatchForm,
  bertGraph,
  byteWeightProducts,
  int8Products,
  packedGraph,
} from '../graph/index.js';
import { writeModel } from '../onnx/index.js';
import type { Device } from '../runtime/index.js';
import type { TextPair, Tokenizer } from '../types.js';
import { calibrate } from './calibrate.js';
import { defaultCalibrationPairs } from './calibration-pairs.js';
import { fingerprint } from './fingerprint.js';
import { writeOnce } from './write-once.js';

/** Changes whenever the same weights are written as a different graph. */
const WRITER_VERSION = 12;

export const precisionNames = ['fp32', 'fp16', 'int8'] as const;
/**
 * The precision of a model. fp32: exact, but for CUDA, which rounds the numbers of products to 11 bits (TF32). fp16: half
 * the memory, for GPUs. int8: products of bytes on a CPU, of 8-bit weights and 16-bit rows on WebGPU, less exact.
 */
export type Precision = (typeof precisionNames)[number];

export interface CompileOptions {
  readonly precision: Precision;
  /** The device it will run on. */
  readonly device: Device;
  /** The form of its batches. */
  readonly batches: BatchForm;
  readonly tokenizer: Tokenizer;
  /** Pairs for choosing the scales of int8; default: pairs of the demo's articles. */
  readonly calibration?: readonly TextPair[];
}

/**
 * The ONNX file of a checkpoint. It is written once and found again under a hash of weights, configuration, precision,
 * device, calibration and writer.
 */
export async function compiledModel(
  folder: string,
  config: ModelConfig,
  options: CompileOptions,
): Promise<string> {
  const checkpoint = await openCheckpoint(folder);
  try {
    // This checks every shape: a wrong configuration is refused here, whether or not the model was compiled before.
    const weights = bertWeights(checkpoint, config);
    const { precision, device } = options;
    const calibration = isCalibrated(options)
      ? (options.calibration ?? (await defaultCalibrationPairs()))
      : [];
    const identity = [WRITER_VERSION, config, precision, device, calibration, await fingerprint(checkpoint)];
    const key = hashJson(...identity).slice(0, 32);
    const compiled = await inCache((cache) =>
      writeOnce(join(cache, 'compiled', key), (temporary) =>
        writeCompiled(weights, { ...options, calibration }, join(temporary, 'model.onnx')),
      ),
    );
    return join(compiled, 'model.onnx');
  } finally {
    await checkpoint.close();
  }
}

/** True for products of bytes, whose scales follow from the activations of pairs. */
function isCalibrated({ precision, batches }: CompileOptions): boolean {
  return precision === 'int8' && batches === 'equal';
}

/** Writes the graph of a precision to `path` and `<path>.data`. */
export async function writeCompiled(
  weights: BertWeights,
  options: Required<CompileOptions>,
  path: string,
): Promise<void> {
  const { batches, precision } = options;
  const graph =
    batches === 'packed'
      ? packedGraph(weights, precision === 'fp16' ? 'float16' : 'float32')
      : bertGraph(weights, await arithmetic(weights, options));
  await writeModel(graph, path);
}

async function arithmetic(
  weights: BertWeights,
  { precision, batches, tokenizer, calibration }: Required<CompileOptions>,
): Promise<Arithmetic> {
  const forForm =
    batches === 'padded' ? { attention: 'plain' as const, padded: true, unitsAtOnce: Infinity } : {};
  if (precision === 'fp32') return { float: 'float32', ...forForm };
  if (precision === 'fp16') {
    // WebGPU adds up products of 16 bits in 16 bits, too roughly for a deep model. There, and on a CPU, weights are
    // stored in 16 bits and products are of 32.
    return { float: 'float32', kept: 'float16', ...forForm };
  }
  if (batches === 'padded') return { float: 'float32', ...forForm, products: byteWeightProducts };
  const ranges = await calibrate(weights, tokenizer, calibration);
  return { float: 'float32', products: (store) => int8Products(store, ranges) };
}
