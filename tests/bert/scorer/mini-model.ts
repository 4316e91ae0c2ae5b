import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BertWeights, bertTensorShapes, writeSafetensors } from '../../../src/bert/checkpoint/index.js';
import { formatModelConfig, type ModelConfig } from '../../../src/bert/config.js';
import { exportGraph, type ExportNames } from '../../../src/bert/graph/index.js';
import { writeSingleFileModel } from '../../../src/bert/onnx/index.js';
import { seededWeights } from '../graph/seeded-model.js';

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const vocabulary = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  '[MASK]',
  ...letters,
  ...letters.map((c) => `##${c}`),
];

export const miniConfig: ModelConfig = {
  modelType: 'bert',
  layers: 2,
  hidden: 32,
  heads: 2,
  intermediate: 64,
  labels: 2,
  activation: 'gelu',
  vocabulary: vocabulary.length,
  maxPositions: 64,
  typeVocabulary: 2,
  layerNormEps: 1e-12,
};

/** A temporary folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bert-qe-scorer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A model folder with config and vocabulary but no weights. */
export function emptyModel(config: ModelConfig = miniConfig): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'config.json'), formatModelConfig(config));
  writeFileSync(join(folder, 'vocab.txt'), `${vocabulary.join('\n')}\n`);
  return folder;
}

/** Changes fields of a model's configuration; those that are undefined are taken away. */
export function changeConfig(folder: string, fields: object): void {
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...fields }));
}

/** A model folder with weights that follow from their names. */
export async function miniModel(
  config: ModelConfig = miniConfig,
  weights: BertWeights = seededWeights(config),
): Promise<string> {
  const folder = emptyModel(config);
  const tensors = [...bertTensorShapes(config)].map(([name, shape]) => ({
    name,
    shape,
    values: () => weights.get(name),
  }));
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  return folder;
}

/** A model folder with an ONNX export instead of a checkpoint. */
export async function miniExport(names: ExportNames, config: ModelConfig = miniConfig): Promise<string> {
  const folder = emptyModel(config);
  mkdirSync(join(folder, 'onnx'));
  await writeSingleFileModel(exportGraph(seededWeights(config), names), join(folder, 'onnx/model.onnx'));
  return folder;
}
