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
  type GraphOptions,
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
import { calibrate } from './calibrate.js';
import { defaultCalibrationPairs } from './calibration-pairs.js';
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

export interface CompileOptions {
  readonly precision: Precision;
  /** Takes int8 instead where the folder holds the int8 form of the weights. */
  readonly prefersBytes?: boolean;
  /** The device it will run on. */
  readonly device: Device;
  /** The form of its batches. */
  readonly batches: BatchForm;
  readonly tokenizer: Tokenizer;
  /** Pairs for choosing the scales of int8; default: the form in the model's folder, else pairs of the demo's articles. */
  readonly calibration?: readonly TextPair[];
}

/** The ONNX file of a checkpoint. */
export interface CompiledModel {
  readonly path: string;
  readonly precision: Precision;
}

/**
 * Compiles a checkpoint. The file is written once and found again under a hash of weights, configuration, precision,
 * device, int8 form or calibration, and writer.
 */
export async function compiledModel(
  folder: string,
  config: ModelConfig,
  options: CompileOptions,
): Promise<CompiledModel> {
  return closing(openCheckpoint(folder), async (checkpoint) => {
    // This checks every shape: a wrong configuration is refused here, whether or not the model was compiled before.
    const weights = bertWeights(checkpoint, config);
    const hashes = await fingerprint(checkpoint);
    const { device, calibration, prefersBytes = false } = options;
    const asBytes = { ...options, precision: 'int8' as const };
    const takesForm = (prefersBytes || isCalibrated(options)) && isCalibrated(asBytes) && !calibration;
    const form = takesForm ? await int8FormHash(folder, hashes) : undefined;
    const chosen = prefersBytes && form !== undefined ? asBytes : options;
    const scales = form ?? (isCalibrated(chosen) ? (calibration ?? (await defaultCalibrationPairs())) : []);
    const identity = [WRITER_VERSION, config, chosen.precision, device, scales, hashes];
    const key = hashJson(...identity).slice(0, 32);
    const compiled = await inCache((cache) =>
      writeOnce(join(cache, 'compiled', key), (temporary) => {
        const write = (bytes?: Int8Form) =>
          writeCompiled(weights, chosen, join(temporary, 'model.onnx'), bytes);
        return form === undefined ? write() : withInt8Form(folder, write);
      }),
    );
    return { path: join(compiled, 'model.onnx'), precision: chosen.precision };
  });
}

/** True for products of bytes, whose scales follow from the activations of pairs. */
function isCalibrated({ precision, batches }: CompileOptions): boolean {
  return precision === 'int8' && batches === 'equal';
}

/** Writes the graph of a precision to `path` and `<path>.data`; `form`: its products of bytes, where they are known. */
export async function writeCompiled(
  weights: BertWeights,
  options: CompileOptions,
  path: string,
  form?: Int8Form,
): Promise<void> {
  const { batches, precision, tokenizer, calibration } = options;
  if (isCalibrated(options)) {
    const bytes = form ?? (await calibratedForm(weights, tokenizer, calibration));
    return writeModel(int8Graph(weights, bytes), path);
  }
  const graph =
    batches === 'packed'
      ? packedGraph(weights, precision as PackedPrecision)
      : bertGraph(weights, graphOptions(options));
  await writeModel(graph, path);
}

/** The int8 form of a model, its scales chosen on pairs of texts. */
export async function calibratedForm(
  weights: BertWeights,
  tokenizer: Tokenizer,
  pairs?: readonly TextPair[],
): Promise<Int8Form> {
  return int8Form(weights, await calibrate(weights, tokenizer, pairs ?? (await defaultCalibrationPairs())));
}

function int8Graph(weights: BertWeights, form: Int8Form): Graph {
  return bertGraph(reorderedUnits(weights, form.orders), {
    unitParts: int8UnitParts(weights.config.intermediate),
    products: (store, floats) => int8Products(store, floats, form),
  });
}

function graphOptions({ precision, batches }: CompileOptions): GraphOptions {
  const padded = batches === 'padded';
  if (precision === 'fp32') return { padded };
  // WebGPU adds up products of 16 bits in 16 bits, too roughly for a deep model. There, and on a CPU, weights are
  // stored in 16 bits and products are of 32.
  if (precision === 'fp16') return { padded, kept: 'float16' };
  return { padded, products: byteWeightProducts };
}
