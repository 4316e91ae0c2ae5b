import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { missingError, usageError } from '../../common/errors.js';
import { isCheckpoint } from '../checkpoint/index.js';
import type { CrossEncoderConfig } from '../config.js';
import { readCrossEncoderConfig, readModelConfig } from '../model-folder.js';
import { compiledModel, type Precision, precisionNames } from '../compile/index.js';
import { paddingSlot } from '../graph/index.js';
import type { EncoderShape } from '../sizes.js';
import { type Device, multipliesBytes } from '../runtime/index.js';
import type { Tokenizer } from '../types.js';
import { DEVICE_PROFILES, type ModelTraits } from './device-profiles.js';
import type { RunnableModel } from './messages.js';

/** A model ready for a session. */
export interface PreparedModel extends RunnableModel, ModelTraits {
  /** The size of its files, from which memory is estimated. */
  readonly bytes: number;
  /** Absent for exports whose configuration does not describe a BERT. */
  readonly shape?: EncoderShape;
}

/** Files of ONNX exports in a model folder, by the precision that their names promise. */
const EXPORTS: Readonly<Record<Precision, readonly string[]>> = {
  fp32: ['onnx/model.onnx', 'model.onnx'],
  int8: ['onnx/model_int8.onnx', 'onnx/model_quantized.onnx', 'model_quantized.onnx'],
  fp16: ['onnx/model_fp16.onnx', 'model_fp16.onnx'],
  // CUDA computes exports of float32 so.
  tf32: ['onnx/model.onnx', 'model.onnx'],
};

/** Makes a model folder ready for a session: compiles the checkpoint of a BERT, or takes an ONNX export as it is. */
export async function prepareModel(
  folder: string,
  precision: Precision | 'auto',
  device: Device,
  tokenizer: Tokenizer,
): Promise<PreparedModel> {
  const config = await readCrossEncoderConfig(folder);
  const { obstacle } = config;
  if (obstacle === undefined && (await readdir(folder)).some(isCheckpoint)) {
    const encoder = await readModelConfig(folder);
    const { batches, precisions, widensHalfWeights } = DEVICE_PROFILES[device];
    const wanted = precision === 'auto' ? environmentPrecision() : precision;
    const chosen = wanted === 'auto' ? precisions[0] : wanted;
    if (!precisions.includes(chosen)) {
      throw usageError(`Precision ${chosen} is not for ${device}; use ${precisions.join(' or ')}.`);
    }
    const compiled = await compiledModel(folder, encoder, {
      precision: chosen,
      prefersBytes: wanted === 'auto' && device === 'cpu' && multipliesBytes(),
      device,
      batches,
      tokenizer,
    });
    return {
      ...(await prepared(compiled.path, config, compiled.precision)),
      batches,
      ...(batches === 'padded' ? { paddingSlot: paddingSlot(encoder) } : {}),
      widensWeights: compiled.precision === 'fp16' && widensHalfWeights,
      encoder,
      shape: encoder,
    };
  }
  const candidates = precision === 'auto' ? (Object.keys(EXPORTS) as Precision[]) : [precision];
  for (const candidate of candidates) {
    const name = EXPORTS[candidate].find((file) => existsSync(join(folder, file)));
    if (name === undefined) continue;
    const shape = await readModelConfig(folder).catch(() => undefined);
    return { ...(await prepared(join(folder, name), config, candidate)), ...(shape ? { shape } : {}) };
  }
  const files = candidates.flatMap((candidate) => EXPORTS[candidate]).join(', ');
  throw missingError(
    obstacle === undefined
      ? `${folder}: no weights (model.safetensors, pytorch_model.bin, *.ckpt.index) and no ONNX export (${files}).`
      : `${folder}: ${obstacle}; there is none (${files}).`,
  );
}

/**
 * What `auto` means in this process: `BERT_QE_PRECISION`, so that machines with different processors can be made to give
 * the same scores.
 */
function environmentPrecision(): Precision | 'auto' {
  const { BERT_QE_PRECISION: own = 'auto' } = process.env;
  const names: readonly string[] = ['auto', ...precisionNames];
  if (names.includes(own)) return own as Precision | 'auto';
  throw usageError(`BERT_QE_PRECISION is "${own}"; it can be ${names.join(', ')}.`);
}

/** All that the precision of a model's numbers depends on, besides the model and the device: the same, the same scores. */
export function precisionIdentity(precision: Precision | 'auto'): string {
  const wanted = precision === 'auto' ? environmentPrecision() : precision;
  return wanted === 'auto' && multipliesBytes() ? 'auto, bytes' : wanted;
}

async function prepared(
  path: string,
  config: CrossEncoderConfig,
  precision: Precision,
): Promise<PreparedModel> {
  const { labels, maxPositions } = config;
  const files = [path, `${path}.data`, `${path}_data`];
  const infos = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return {
    path,
    ...(labels !== undefined && { labels }),
    maxPositions,
    precision,
    batches: 'equal',
    bytes: infos.reduce((sum, info) => sum + (info?.size ?? 0), 0),
  };
}
