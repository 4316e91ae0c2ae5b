import {
  bertGraph,
  bertWeights,
  crossEncoderConfigOf,
  type EncoderShape,
  MemoryFile,
  modelBytes,
  modelConfigOf,
  type ModelTraits,
  paddingSlot,
  readSafetensors,
  type RunnableModel,
} from '../bert/core.js';
import { BertQeError } from '../common/errors.js';
import type { Downloads } from './downloads.js';

/** Precisions of weights in the browser: fp16 halves the memory, with products of 32 bits. */
export type WebPrecision = 'fp32' | 'fp16';

/** A model whose number of labels is known before it is loaded. */
export type LabelledModel = RunnableModel & { readonly labels: number };

/** A model ready for sessions. */
export interface PreparedModel {
  readonly model: LabelledModel & ModelTraits;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly external?: { readonly path: string; readonly data: Uint8Array } | undefined;
  readonly shape?: EncoderShape;
}

/** Downloads a model and makes it ready: writes the graph of a checkpoint, or takes an ONNX export as it is. */
export async function prepareModel(
  files: Downloads,
  weights: string,
  batches: RunnableModel['batches'],
  precision: WebPrecision,
): Promise<PreparedModel> {
  if (/\.onnx(?:\.gz)?$/.test(weights)) return exported(files, weights, precision);
  const config = await modelConfigOf(files);
  const raw = await files.bytes(weights);
  const name = files.nameOf(weights);
  try {
    const file = new MemoryFile(name, raw);
    await file.refusePlaceholders();
    const checkpoint = await readSafetensors(file);
    const graph = bertGraph(bertWeights(checkpoint, config), {
      ...(precision === 'fp16' && { kept: 'float16' }),
      padded: batches === 'padded',
    });
    return {
      bytes: await modelBytes(graph),
      shape: config,
      model: {
        path: name,
        labels: config.labels,
        maxPositions: config.maxPositions,
        batches,
        ...(batches === 'padded' ? { paddingSlot: paddingSlot(config) } : {}),
        precision,
        encoder: config,
      },
    };
  } catch (error) {
    // A kept copy that cannot be used must not come back at the next visit.
    if (error instanceof BertQeError && error.code === 'corrupt') await files.forget(weights);
    throw error;
  }
}

/** An export, whose weights may lie in a file beside it. */
async function exported(files: Downloads, weights: string, precision: WebPrecision): Promise<PreparedModel> {
  const { labels = 2, maxPositions } = await crossEncoderConfigOf(files);
  const raw = await files.bytes(weights);
  const beside = `${weights}.data`;
  const data = await files.find(beside);
  return {
    bytes: raw as Uint8Array<ArrayBuffer>,
    external: data && { path: beside.slice(beside.lastIndexOf('/') + 1), data },
    model: { path: files.nameOf(weights), labels, maxPositions, batches: 'equal', precision },
  };
}
