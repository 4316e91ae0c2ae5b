import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BertWeights } from '../../src/bert/checkpoint/index.js';
import { maskedCrc32c } from '../../src/bert/checkpoint/crc32c.js';
import type { ModelConfig } from '../../src/bert/config.js';
import { seededWeights } from '../bert/graph/seeded-model.js';
import { zipOf } from '../bert/runtime/zip-file.js';

/** The syllables of made-up words (made-up-disks.ts), which the vocabulary has, so that sequences are short. */
export const syllables =
  'ba be bi bo bu da de di do du fa fe fi fo fu ga ge gi go gu ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po pu ra re ri ro ru ta te ti to tu va ve vi vo vu'.split(
    ' ',
  );
const pieces = [...'abcdefghijklmnopqrstuvwxyz0123456789', ...syllables];
const vocabulary = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  '[MASK]',
  ...pieces,
  ...pieces.map((piece) => `##${piece}`),
];

/** The vocabulary that all models of the authors share. */
export const vocabularyText = `${vocabulary.join('\n')}\n`;

/** A model of a size of its own, so that one in the place of another is noticed. */
export function tinyConfig(hidden: number): ModelConfig {
  return {
    modelType: 'bert',
    layers: 1,
    hidden,
    heads: 2,
    intermediate: 2 * hidden,
    labels: 2,
    activation: 'gelu_new',
    vocabulary: vocabulary.length,
    maxPositions: 512,
    typeVocabulary: 2,
    layerNormEps: 1e-12,
  };
}

/** Google's `bert_config.json`, whose "gelu" is computed by tanh. */
export function googleConfig({ hidden, layers, heads, intermediate, maxPositions }: ModelConfig): string {
  return JSON.stringify({
    attention_probs_dropout_prob: 0.1,
    hidden_act: 'gelu',
    hidden_dropout_prob: 0.1,
    hidden_size: hidden,
    initializer_range: 0.02,
    intermediate_size: intermediate,
    max_position_embeddings: maxPositions,
    num_attention_heads: heads,
    num_hidden_layers: layers,
    type_vocab_size: 2,
    vocab_size: vocabulary.length,
  });
}

/**
 * The files of a TensorFlow checkpoint as training leaves it: weights, the optimiser's state beside them, the number of
 * the step, and the name of the last checkpoint.
 */
export async function checkpointFiles(
  config: ModelConfig,
  step: number,
  weights: BertWeights = seededWeights(config),
): Promise<Record<string, Buffer>> {
  const name = `model.ckpt-${step}`;
  const tensors: Tensor[] = [{ name: 'global_step', type: 9, shape: [], bytes: int64(step) }];
  for (const [canonical, shape] of weights.shapes) {
    const values = await weights.get(canonical);
    const isKernel = canonical.endsWith('.weight') && /dense|query|key|value/.test(canonical);
    const stored = isKernel ? transposed(values, shape) : { values, shape };
    const bytes = Buffer.from(stored.values.buffer, stored.values.byteOffset, stored.values.byteLength);
    const variable = tensorFlowName(canonical, isKernel);
    tensors.push({ name: variable, type: 1, shape: stored.shape, bytes });
    for (const slot of ['adam_m', 'adam_v']) {
      tensors.push({
        name: `${variable}/${slot}`,
        type: 1,
        shape: stored.shape,
        bytes: Buffer.alloc(bytes.length),
      });
    }
  }
  const sorted = tensors.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  return {
    checkpoint: Buffer.from(`model_checkpoint_path: "${name}"\nall_model_checkpoint_paths: "${name}"\n`),
    [`${name}.data-00000-of-00001`]: Buffer.concat(sorted.map(({ bytes }) => bytes)),
    [`${name}.index`]: indexOf(sorted),
    [`${name}.meta`]: Buffer.from('a graph'),
  };
}

/** Writes an archive with a folder in it, as the authors' `fold-1.zip` has one. */
export function writeArchive(path: string, folder: string, files: Readonly<Record<string, Buffer>>): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    zipOf(Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`${folder}/${name}`, bytes]))),
  );
}

/** Writes files into a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, Buffer | string>>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
}

interface Tensor {
  readonly name: string;
  /** TensorFlow's number of the type. */
  readonly type: number;
  readonly shape: readonly number[];
  readonly bytes: Buffer;
}

function tensorFlowName(canonical: string, isKernel: boolean): string {
  if (canonical === 'classifier.weight') return 'output_weights';
  if (canonical === 'classifier.bias') return 'output_bias';
  const path = canonical
    .replace(/encoder\.layer\.(\d+)/, 'encoder/layer_$1')
    .replace(/LayerNorm\.weight$/, 'LayerNorm.gamma')
    .replace(/LayerNorm\.bias$/, 'LayerNorm.beta')
    .replace(/_embeddings\.weight$/, '_embeddings')
    .replaceAll('.', '/');
  return `bert/${isKernel ? path.replace(/weight$/, 'kernel') : path}`;
}

function transposed(values: Float32Array, [rows, columns]: readonly number[]) {
  const turned = new Float32Array(values.length);
  for (let row = 0; row < rows!; row++) {
    for (let column = 0; column < columns!; column++) {
      turned[column * rows! + row] = values[row * columns! + column]!;
    }
  }
  return { values: turned, shape: [columns!, rows!] };
}

/** The index of a checkpoint: a LevelDB table of one data block. */
function indexOf(tensors: readonly Tensor[]): Buffer {
  let offset = 0;
  const entries: [string, Buffer][] = [['', Buffer.from([0x08, 1])]];
  for (const { name, type, shape, bytes } of tensors) {
    const dimensions = shape.map((size) => message(2, field(1, size)));
    const checksum = Buffer.alloc(5);
    checksum[0] = (6 << 3) | 5;
    checksum.writeUInt32LE(maskedCrc32c(bytes), 1);
    const value = [
      field(1, type),
      message(2, ...dimensions),
      field(4, offset),
      field(5, bytes.length),
      checksum,
    ];
    entries.push([name, Buffer.concat(value)]);
    offset += bytes.length;
  }
  const data = block(entries);
  const metaStart = data.length;
  const meta = block([]);
  const indexStart = metaStart + meta.length;
  const index = block([['~', handle(0, data.length)]]);
  const footer = Buffer.alloc(48);
  Buffer.concat([handle(metaStart, meta.length), handle(indexStart, index.length)]).copy(footer);
  footer.writeBigUInt64LE(0xdb4775248b80fb57n, 40);
  return Buffer.concat([data, meta, index, footer]);
}

/** A block with its trailer: no shared prefixes, one restart point, no compression, the checksum. */
function block(entries: readonly (readonly [string, Buffer])[]): Buffer {
  const parts = entries.flatMap(([key, value]) => {
    const bytes = Buffer.from(key);
    return [varint(0), varint(bytes.length), varint(value.length), bytes, value];
  });
  const restarts = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]);
  const content = Buffer.concat([...parts, restarts, Buffer.from([0])]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(maskedCrc32c(content));
  return Buffer.concat([content, checksum]);
}

/** The place of a block, whose length does not count its trailer of five bytes. */
function handle(offset: number, length: number): Buffer {
  return Buffer.concat([varint(offset), varint(length - 5)]);
}

function field(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

function message(number: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}
