import { missingError } from '../common/errors.js';
import { isJsonObject, type JsonObject } from '../common/json.js';
import { badFile, parseJsonObject } from './json.js';
import type { ModelFiles } from './types.js';

/** The names of a configuration, Hugging Face's and Google's. */
export const CONFIG_FILES: readonly string[] = ['config.json', 'bert_config.json'];

/** Exact GELU (erf), its tanh approximation, or ReLU. */
type Activation = 'gelu' | 'gelu_new' | 'relu';

/** The part of config.json that all cross-encoders share; enough to run an ONNX export. */
export interface CrossEncoderConfig {
  /** Hugging Face's `model_type`: 'bert', 'roberta', 'xlm-roberta', 'deberta-v2', … */
  readonly modelType: string;
  readonly vocabulary: number;
  /** The longest sequence that the position table allows, special tokens included. */
  readonly maxPositions: number;
  /** Outputs of the classifier: 1 (sigmoid) or 2 (softmax); undefined where the file does not say. */
  readonly labels?: number;
  /** The reason why it runs from an ONNX export only; absent if it is built from its weights. */
  readonly obstacle?: string;
}

/** The families whose encoder is BERT's. RoBERTa's differ in where positions begin and in the names of the head. */
const BERT_FAMILIES = ['bert', 'roberta', 'xlm-roberta', 'camembert'] as const;

type BertFamily = (typeof BERT_FAMILIES)[number];

/** The configuration of a BERT encoder with pooler and classifier. */
export interface ModelConfig extends CrossEncoderConfig {
  readonly modelType: BertFamily;
  /** By default 2, as in the paper. */
  readonly labels: number;
  /** The row of the stored position table that the first token has; absent where it is the first. */
  readonly firstPosition?: number;
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly intermediate: number;
  readonly typeVocabulary: number;
  readonly layerNormEps: number;
  readonly activation: Activation;
}

/** The activations by their names in checkpoints. Google's "gelu" is read as exact, as Hugging Face reads it. */
const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu_new',
  gelu_fast: 'gelu_new',
  gelu_pytorch_tanh: 'gelu_new',
  relu: 'relu',
};

/** Families whose positions count from `pad + 1`: so many rows of the position table are never used. */
const OFFSET_POSITIONS = new Set(['roberta', 'xlm-roberta', 'xlm-roberta-xl', 'camembert', 'mpnet', 'xmod']);

/** Reads `config.json`, else `bert_config.json`, as a BERT that the graph writer can build. */
export async function modelConfigOf(files: ModelFiles): Promise<ModelConfig> {
  const { text, file } = await readConfigText(files);
  return parseModelConfig(text, file);
}

/** Reads the configuration of a cross-encoder of any architecture. */
export async function crossEncoderConfigOf(files: ModelFiles): Promise<CrossEncoderConfig> {
  const { text, file } = await readConfigText(files);
  return parseCrossEncoderConfig(text, file);
}

/** Parses the text of a Hugging Face `config.json` or of Google's `bert_config.json`; `file` is for messages. */
export function parseModelConfig(text: string, file = 'config.json'): ModelConfig {
  const fields = parseJsonObject(text, file);
  const obstacle = buildObstacle(fields);
  if (obstacle !== undefined) throw badFile(file, obstacle);
  if (fields['is_decoder'] === true || fields['add_cross_attention'] === true) {
    throw badFile(file, 'is_decoder/add_cross_attention is set; a cross-encoder is a plain encoder');
  }
  const hidden = count(fields, 'hidden_size', file);
  const heads = count(fields, 'num_attention_heads', file);
  if (hidden % heads !== 0) {
    throw badFile(file, `hidden_size ${hidden} is not a multiple of num_attention_heads ${heads}`);
  }
  const firstPosition = firstPositionOf(fields);
  const common = commonFields(fields, file);
  return {
    ...common,
    modelType: common.modelType as BertFamily,
    labels: common.labels ?? 2,
    ...(firstPosition > 0 && { firstPosition }),
    layers: layersOf(fields, file),
    hidden,
    heads,
    intermediate: count(fields, 'intermediate_size', file),
    typeVocabulary: count(fields, 'type_vocab_size', file, 2),
    layerNormEps: epsilonOf(fields, file),
    activation: activationOf(fields, file),
  };
}

/** Parses the configuration of a cross-encoder of any architecture. */
export function parseCrossEncoderConfig(text: string, file = 'config.json'): CrossEncoderConfig {
  const fields = parseJsonObject(text, file);
  const obstacle = buildObstacle(fields);
  return { ...commonFields(fields, file), ...(obstacle !== undefined && { obstacle }) };
}

/** The reason why a model runs from an ONNX export only; undefined if the graph writer can build it from its weights. */
export function buildObstacle(fields: JsonObject): string | undefined {
  const modelType = modelTypeOf(fields);
  const elsewhere = 'such a model runs from an ONNX export (onnx/model.onnx in its folder)';
  if (!(BERT_FAMILIES as readonly string[]).includes(modelType)) {
    return `model_type is "${modelType}"; only ${BERT_FAMILIES.join(', ')} are built from their weights, ${elsewhere}`;
  }
  if (hasOwnCode(fields)) return `auto_map names code of its own, which is not run here; ${elsewhere}`;
  const positions = fields['position_embedding_type'] ?? 'absolute';
  if (positions === 'absolute') return undefined;
  return `position_embedding_type is "${String(positions)}"; only "absolute" is built from weights, ${elsewhere}`;
}

/** How a configuration is written. */
export interface ConfigForm {
  readonly dtype?: 'float32' | 'float16' | undefined;
  /** The head of the weights: the relevance classifier (default), or the one that predicts masked tokens. */
  readonly head?: 'classifier' | 'predictions' | undefined;
}

/** The configuration as Hugging Face writes it: that of a BERT, which RoBERTa's tensors become when they are read. */
export function formatModelConfig(
  config: ModelConfig,
  { dtype = 'float32', head = 'classifier' }: ConfigForm = {},
): string {
  const ids = Array.from({ length: config.labels }, (_, label) => [String(label), `LABEL_${label}`] as const);
  const fields = {
    architectures: [head === 'classifier' ? 'BertForSequenceClassification' : 'BertForMaskedLM'],
    model_type: 'bert',
    vocab_size: config.vocabulary,
    hidden_size: config.hidden,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    intermediate_size: config.intermediate,
    hidden_act: config.activation,
    max_position_embeddings: config.maxPositions,
    type_vocab_size: config.typeVocabulary,
    layer_norm_eps: config.layerNormEps,
    position_embedding_type: 'absolute',
    torch_dtype: dtype,
    num_labels: config.labels,
    id2label: Object.fromEntries(ids),
    label2id: Object.fromEntries(ids.map(([id, label]) => [label, Number(id)])),
  };
  return `${JSON.stringify(fields, null, 2)}\n`;
}

async function readConfigText(files: ModelFiles): Promise<{ text: string; file: string }> {
  for (const name of CONFIG_FILES) {
    const text = await files.text(name);
    if (text !== undefined) return { text, file: files.nameOf(name) };
  }
  throw missingError(
    `${files.place}: no config.json or bert_config.json here; name a folder that holds a model`,
  );
}

/** True for BERT itself, whose tokenizer may be a vocab.txt. */
export function isBertType(fields: JsonObject): boolean {
  return modelTypeOf(fields) === 'bert';
}

/** The model type; Google's bert_config.json has none and is always BERT. */
function modelTypeOf(fields: JsonObject): string {
  const modelType = fields['model_type'];
  return typeof modelType === 'string' ? modelType : 'bert';
}

function commonFields(fields: JsonObject, file: string): Omit<CrossEncoderConfig, 'obstacle'> {
  const positions = count(fields, 'max_position_embeddings', file, 512);
  const unused = firstPositionOf(fields);
  if (!Number.isSafeInteger(unused) || unused < 0) {
    throw badFile(
      file,
      `pad_token_id must be a whole number, found ${JSON.stringify(fields['pad_token_id'])}`,
    );
  }
  const labels = labelsOf(fields, file);
  if (positions <= unused)
    throw badFile(file, `max_position_embeddings ${positions} leaves no position to use`);
  return {
    modelType: modelTypeOf(fields),
    vocabulary: count(fields, 'vocab_size', file),
    maxPositions: positions - unused,
    ...(labels !== undefined && { labels }),
  };
}

/** Layers that no model has: the names of all their tensors would fill the memory. */
const MOST_LAYERS = 1000;

function layersOf(fields: JsonObject, file: string): number {
  const layers = count(fields, 'num_hidden_layers', file);
  if (layers <= MOST_LAYERS) return layers;
  throw badFile(file, `num_hidden_layers is ${layers}; at most ${MOST_LAYERS} are possible`);
}

/** The row of the position table at which a family's positions begin. */
function firstPositionOf(fields: JsonObject): number {
  const pad = fields['pad_token_id'];
  return OFFSET_POSITIONS.has(modelTypeOf(fields)) ? (typeof pad === 'number' ? pad : 1) + 1 : 0;
}

/** True where the model's code comes with it, so that its type says nothing about its architecture. */
function hasOwnCode(fields: JsonObject): boolean {
  const map = fields['auto_map'];
  return isJsonObject(map) && Object.keys(map).some((name) => name.startsWith('AutoModel'));
}

/** The number of labels. Hugging Face writes `id2label`, rarely `num_labels`, and may omit both for the default of two. */
function labelsOf(fields: JsonObject, file: string): number | undefined {
  const names = fields['id2label'];
  const stated = fields['num_labels'] === undefined ? undefined : count(fields, 'num_labels', file);
  const named = typeof names === 'object' && names !== null ? Object.keys(names).length : undefined;
  if (stated !== undefined && named !== undefined && stated !== named) {
    throw badFile(file, `num_labels is ${stated} but id2label names ${named}`);
  }
  const labels = stated ?? named;
  if (labels !== undefined && labels !== 1 && labels !== 2) {
    throw badFile(file, `the classifier has ${labels} labels; a relevance model has one or two`);
  }
  return labels;
}

function epsilonOf(fields: JsonObject, file: string): number {
  const value = fields['layer_norm_eps'] ?? 1e-12;
  if (typeof value !== 'number' || !(value > 0 && value < 1)) {
    throw badFile(file, `layer_norm_eps must be a number between 0 and 1, found ${JSON.stringify(value)}`);
  }
  return value;
}

function activationOf(fields: JsonObject, file: string): Activation {
  const value = fields['hidden_act'] ?? 'gelu';
  const activation = typeof value === 'string' && Object.hasOwn(ACTIVATIONS, value) && ACTIVATIONS[value];
  if (activation) return activation;
  const known = Object.keys(ACTIVATIONS).join(', ');
  throw badFile(file, `hidden_act ${JSON.stringify(value)} is not supported; expected one of ${known}`);
}

function count(fields: JsonObject, name: string, file: string, otherwise?: number): number {
  const value = fields[name] ?? otherwise;
  if (value === undefined) throw badFile(file, `${name} is missing`);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > 2 ** 31) {
    throw badFile(file, `${name} must be a positive integer, found ${JSON.stringify(value)}`);
  }
  return value;
}
