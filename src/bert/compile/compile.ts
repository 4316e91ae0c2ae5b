import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import { inCache } from '../../common/cache-folder.js';
import { hashJson } from '../../common/hash.js';
import { type BertWeights, bertWeights, openCheckpoint } from '../checkpoint/index.js';
import type { ModelConfig } from '../config.js';
import {
  type BatchForm,
  bertGraph,
  byteWeightProducts,
  type Int8Form,
  int8Products,
  int8UnitParts,
  packedGraph,
  type PackedPrecision,
  reorderedUnits,
} from '../graph/index.js';
import { type Graph, writeModel } from '../onnx/index.js';
import type { Device } from '../runtime/index.js';
import type { TextPair, Tokenizer } from '../types.js';
import { calibrate, defaultCalibrationPairs } from './calibrate.js';
import { fingerprint } from './fingerprint.js';
import { int8FormHash, withInt8Form } from './int8-file.js';
import { int8Form } from './int8-scales.js';
import { writeOnce } from './write-once.js';

/** Changes whenever the same weights are written as a different graph. */
const WRITER_VERSION = 16;

export const precisionNames = ['fp32', 'tf32', 'fp16', 'int8'] as const;
/**
 * The precision of a model. fp32: exact. tf32: factors of products rounded to 11 bits, on CUDA. fp16: half the memory, for
 * GPUs. int8: products of bytes on a CPU, of 8-bit weights and 16-bit rows on WebGPU, less exact.
 */
export type Precision = (typeof precisionNames)[number];

interface CompileOptions {
  readonly precision: Precision;
  /** Takes int8 instead where the folder holds the int8 form of the weights. */
  readonly prefersBytes?: boolean;
  /** The device it will run on. */
  readonly device: Device;
  /** The form of its batches. */
  readonly batches: BatchForm;
  readonly tokenizer: Tokenizer;
}

/**
 * Compiles a checkpoint to an ONNX file. The file is written once and found again under a hash of weights, configuration,
 * precision, device, int8 form or calibration, and writer.
 */
export async function compiledModel(
  folder: string,
  config: ModelConfig,
  options: CompileOptions,
): Promise<{ readonly path: string; readonly precision: Precision }> {
  return closing(openCheckpoint(folder), async (checkpoint) => {
    // This checks every shape: a wrong configuration is refused here, whether or not the model was compiled before.
    const weights = bertWeights(checkpoint, config);
    const hashes = await fingerprint(checkpoint);
    const { device, batches, tokenizer, prefersBytes = false } = options;
    // Only these have products of bytes, whose scales follow from the activations of pairs.
    const canHaveForm = batches === 'equal' && (prefersBytes || options.precision === 'int8');
    const form = canHaveForm ? await int8FormHash(folder, hashes) : undefined;
    const precision = prefersBytes && form !== undefined ? 'int8' : options.precision;
    const isCalibrated = batches === 'equal' && precision === 'int8' && form === undefined;
    const pairs = isCalibrated ? await defaultCalibrationPairs() : [];
    const key = hashJson(WRITER_VERSION, config, precision, device, form ?? pairs, hashes).slice(0, 32);
    const compiled = await inCache((cache) =>
      writeOnce(join(cache, 'compiled', key), async (temporary) => {
        const write = (bytes?: Int8Form) =>
          writeModel(compiledGraph(weights, precision, batches, bytes), join(temporary, 'model.onnx'));
        if (form !== undefined) return withInt8Form(folder, write);
        return write(isCalibrated ? await calibratedForm(weights, tokenizer, pairs) : undefined);
      }),
    );
    return { path: join(compiled, 'model.onnx'), precision };
  });
}

/** The graph of a model in some precision; `bytes` are its products of bytes on a CPU. */
export function compiledGraph(
  weights: BertWeights,
  precision: Precision,
  batches: BatchForm,
  bytes?: Int8Form,
): Graph {
  if (batches === 'packed') return packedGraph(weights, precision as PackedPrecision);
  if (bytes) {
    return bertGraph(reorderedUnits(weights, bytes.orders), {
      unitParts: int8UnitParts(weights.config.intermediate),
      products: (store, floats) => int8Products(store, floats, bytes),
    });
  }
  const padded = batches === 'padded';
  if (precision === 'fp32') return bertGraph(weights, { padded });
  // WebGPU adds up products of 16 bits in 16 bits, too roughly for a deep model. There, and on a CPU, weights are
  // stored in 16 bits and products are of 32.
  if (precision === 'fp16') return bertGraph(weights, { padded, kept: 'float16' });
  return bertGraph(weights, { padded, products: byteWeightProducts });
}

/** The int8 form of a model, its scales chosen on pairs of texts. */
export async function calibratedForm(
  weights: BertWeights,
  tokenizer: Tokenizer,
  pairs?: readonly TextPair[],
): Promise<Int8Form> {
  return int8Form(weights, await calibrate(weights, tokenizer, pairs ?? (await defaultCalibrationPairs())));
}
