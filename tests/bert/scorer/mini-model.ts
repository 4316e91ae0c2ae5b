import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BertWeights, bertTensorShapes, writeSafetensors } from '../../../src/bert/checkpoint/index.js';
import { formatModelConfig, type ModelConfig } from '../../../src/bert/config.js';
import { exportGraph } from '../../../src/bert/graph/index.js';
import { type Graph, writeSingleFileModel } from '../../../src/bert/onnx/index.js';
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

/** The names of an export's inputs; without `types`, all tokens belong to the first segment. */
export interface ExportNames {
  readonly ids: string;
  readonly mask: string;
  readonly types?: string;
}

export const EXPORT_NAMES: ExportNames = {
  ids: 'input_ids',
  mask: 'attention_mask',
  types: 'token_type_ids',
};

/** A model folder with an ONNX export instead of a checkpoint. */
export async function miniExport(names: ExportNames, config: ModelConfig = miniConfig): Promise<string> {
  const folder = emptyModel(config);
  mkdirSync(join(folder, 'onnx'));
  await writeSingleFileModel(
    renamed(exportGraph(seededWeights(config)), names),
    join(folder, 'onnx/model.onnx'),
  );
  return folder;
}

/** An export as another program would have written it. */
function renamed(graph: Graph, { ids, mask, types }: ExportNames): Graph {
  const names = new Map([
    [EXPORT_NAMES.ids, ids],
    [EXPORT_NAMES.mask, mask],
    [EXPORT_NAMES.types!, types ?? 'no types'],
  ]);
  const nameOf = (name: string): string => names.get(name) ?? name;
  const inputs = graph.inputs.splice(0).map((input) => ({ ...input, name: nameOf(input.name) }));
  graph.inputs.push(...inputs.filter(({ name }) => name !== 'no types'));
  const nodes = graph.nodes.splice(0).map((node) => ({ ...node, inputs: node.inputs.map(nameOf) }));
  if (types === undefined) {
    graph.nodes.push({ op: 'Sub', domain: '', inputs: [mask, mask], outputs: ['no types'], attributes: {} });
  }
  graph.nodes.push(...nodes);
  return graph;
}
