import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bertWeights, openCheckpoint, parameterCount } from '../checkpoint/index.js';
import { closing } from '../../common/closing.js';
import { hashFile } from '../../common/hash.js';
import type { ModelConfig } from '../config.js';
import { loadTokenizer, readCrossEncoderConfig, readModelConfig } from '../model-folder.js';
import { type SizeLetter, sizeLetter } from '../sizes.js';
import { BertTokenizer } from '../tokenizer/bert-tokenizer.js';

interface ModelFile {
  /** Path inside the folder. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ModelDescription {
  readonly folder: string;
  readonly modelType: string;
  /** Absent where neither the configuration nor the weights say. */
  readonly labels?: number;
  readonly vocabulary: number;
  readonly maxPositions: number;
  /** 'WordPiece', or the name of another family. */
  readonly tokenizer: 'WordPiece' | 'other';
  /** Absent if the model has none of the paper's sizes. */
  readonly letter?: SizeLetter;
  /** Absent if the weights are an ONNX export. */
  readonly parameters?: number;
  readonly config?: ModelConfig;
  /** 'safetensors', 'pytorch', 'tensorflow' or 'onnx'. */
  readonly weights: string;
  readonly files: readonly ModelFile[];
}

/** Reads configuration, tokenizer and the weights' table of contents; refuses a folder whose parts do not fit. */
export async function describeModel(folder: string): Promise<ModelDescription> {
  const common = await readCrossEncoderConfig(folder);
  const tokenizer = await loadTokenizer(folder);
  const files = await modelFiles(folder);
  const hasGraph = files.some(({ name }) => name.endsWith('.onnx'));
  const own = common.obstacle === undefined ? await checkpointOf(folder, hasGraph) : undefined;
  const { modelType, vocabulary, maxPositions } = common;
  const labels = common.labels ?? own?.config.labels;
  const letter = own && sizeLetter(own.config);
  return {
    folder,
    modelType,
    ...(labels !== undefined && { labels }),
    vocabulary,
    maxPositions,
    tokenizer: tokenizer instanceof BertTokenizer ? 'WordPiece' : 'other',
    weights: own?.format ?? 'onnx',
    files,
    ...(own && { config: own.config, parameters: parameterCount(own.config) }),
    ...(letter && { letter }),
  };
}

/** The format of the checkpoint, whose tensors must fit the configuration, or of an ONNX export in its place. */
async function checkpointOf(
  folder: string,
  hasGraph: boolean,
): Promise<{ readonly format: string; readonly config: ModelConfig }> {
  const config = await readModelConfig(folder);
  const checkpoint = await openCheckpoint(folder).catch((error: unknown) => {
    if (hasGraph) return undefined;
    throw error;
  });
  if (!checkpoint) return { format: 'onnx', config };
  return closing(checkpoint, ({ format }) => {
    bertWeights(checkpoint, config);
    return { format, config };
  });
}

async function modelFiles(folder: string): Promise<ModelFile[]> {
  const names = await readdir(folder, { recursive: true });
  const files: ModelFile[] = [];
  for (const name of names.sort()) {
    const path = join(folder, name);
    const info = await stat(path);
    if (info.isFile()) files.push({ name, bytes: info.size, sha256: await hashFile(path) });
  }
  return files;
}
