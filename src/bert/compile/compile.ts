import { join } from 'node:path';
import { cacheFolder } from '../../common/cache-folder.js';
import { hashJson } from '../../common/hash.js';
import { type BertWeights, bertWeights, openCheckpoint } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import { type Arithmetic, bertGraph, int8Products, packedGraph } from '../graph/index.js';
import { writeModel } from '../onnx/index.js';
import type { Device } from '../runtime/index.js';
import type { TextPair, Tokenizer } from '../types.js';
import { calibrate } from './calibrate.js';
import { defaultCalibrationPairs } from './calibration-pairs.js';
import { fingerprint } from './fingerprint.js';
import { folderOnce } from './folder-once.js';

/** Changes whenever the same weights would be written as a different graph. */
const WRITER_VERSION = 12;

/** fp32: exact. fp16: half the memory, for GPUs. int8: products of bytes on a CPU, somewhat inexact. */
export type Precision = 'fp32' | 'fp16' | 'int8';

export interface CompileOptions {
  readonly precision: Precision;
  /** Where it will run: operators that are fast on one device are slow on another. */
  readonly device: Device;
  readonly tokenizer: Tokenizer;
  /** What int8 scales are chosen on; default: the demo's articles. */
  readonly calibration?: readonly TextPair[];
}

/**
 * The ONNX file of a checkpoint, written once per content: it is found again under a hash of weights, config,
 * precision, device, calibration and writer.
 */
export async function compiledModel(
  folder: string,
  config: ModelConfig,
  options: CompileOptions,
): Promise<string> {
  const checkpoint = await openCheckpoint(folder);
  try {
    // Laying out checks every shape: a config that lies is refused here, compiled before or not.
    const weights = bertWeights(checkpoint, config);
    const { precision, device } = options;
    const calibration =
      precision === 'int8' ? (options.calibration ?? (await defaultCalibrationPairs())) : [];
    const identity = [WRITER_VERSION, config, precision, device, calibration, await fingerprint(checkpoint)];
    const key = hashJson(...identity).slice(0, 32);
    const compiled = await folderOnce(join(cacheFolder(), 'compiled', key), (temporary) =>
      writeCompiled(weights, { ...options, calibration }, join(temporary, 'model.onnx')),
    );
    return join(compiled, 'model.onnx');
  } finally {
    await checkpoint.close();
  }
}

/** Writes the graph of a precision to `path` and `<path>.data`. */
export async function writeCompiled(
  weights: BertWeights,
  options: Required<CompileOptions>,
  path: string,
): Promise<void> {
  const { device, precision } = options;
  const graph =
    device === 'cuda'
      ? packedGraph(weights, precision === 'fp16' ? 'float16' : 'float32')
      : bertGraph(weights, await arithmetic(weights, options));
  await writeModel(graph, path);
}

async function arithmetic(
  weights: BertWeights,
  { precision, device, tokenizer, calibration }: Required<CompileOptions>,
): Promise<Arithmetic> {
  // A run costs a GPU milliseconds to start, so it gets large batches, of sequences that differ in length.
  const forDevice =
    device === 'cpu' ? {} : { attention: 'plain' as const, padded: true, unitsAtOnce: Infinity };
  if (precision === 'fp32') return { float: 'float32', ...forDevice };
  if (precision === 'fp16') {
    // WebGPU's products of 16 bits add up in 16, which is too rough for a deep model: so there, and on a CPU, weights
    // are kept in 16 bits and products are of 32.
    return { float: 'float32', kept: 'float16', ...forDevice };
  }
  const ranges = await calibrate(weights, tokenizer, calibration);
  return { float: 'float32', products: (store) => int8Products(store, ranges) };
}
