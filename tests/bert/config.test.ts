import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parameterCount } from '../../src/bert/checkpoint/index.js';
import {
  formatModelConfig,
  type ModelConfig,
  parseCrossEncoderConfig,
  parseModelConfig,
} from '../../src/bert/config.js';
import { readCrossEncoderConfig, readModelConfig } from '../../src/bert/model-folder.js';
import { sizeLetter } from '../../src/bert/sizes.js';
import { temporaryFolder } from './scorer/mini-model.js';

const models = fileURLToPath(new URL('../../models/', import.meta.url));
const base = JSON.parse(readFileSync(`${models}tiny/config.json`, 'utf8')) as Record<string, unknown>;

function parse(changes: Record<string, unknown>): ModelConfig {
  return parseModelConfig(JSON.stringify({ ...base, ...changes }), 'config.json');
}

describe('a model config', () => {
  test('of Hugging Face is read', async () => {
    expect(await readModelConfig(`${models}small`)).toEqual({
      modelType: 'bert',
      layers: 4,
      hidden: 256,
      heads: 4,
      intermediate: 1024,
      vocabulary: 16384,
      maxPositions: 512,
      typeVocabulary: 2,
      layerNormEps: 1e-12,
      activation: 'gelu',
      labels: 2,
    });
  });

  test('of Google, without type, labels or epsilon, takes BERT’s defaults', () => {
    const google = {
      attention_probs_dropout_prob: 0.1,
      hidden_act: 'gelu',
      hidden_dropout_prob: 0.1,
      hidden_size: 128,
      initializer_range: 0.02,
      intermediate_size: 512,
      max_position_embeddings: 512,
      num_attention_heads: 2,
      num_hidden_layers: 2,
      type_vocab_size: 2,
      vocab_size: 30522,
    };
    const config = parseModelConfig(JSON.stringify(google), 'bert_config.json');
    expect(config).toMatchObject({ modelType: 'bert', labels: 2, layerNormEps: 1e-12, vocabulary: 30522 });
  });

  test('is written so that it is read back the same', () => {
    for (const changes of [
      {},
      { hidden_act: 'gelu_new', layer_norm_eps: 1e-7 },
      { num_labels: 1, id2label: undefined },
    ]) {
      const config = parse(changes);
      expect(parseModelConfig(formatModelConfig(config))).toEqual(config);
    }
  });

  test.each([
    ['gelu_python', 'gelu'],
    ['gelu_pytorch_tanh', 'gelu_new'],
    ['relu', 'relu'],
  ])('knows the activation %s', (name, activation) => {
    expect(parse({ hidden_act: name }).activation).toBe(activation);
  });

  test('counts labels by id2label or num_labels', () => {
    expect(parse({ num_labels: undefined, id2label: { 0: 'LABEL_0' } }).labels).toBe(1);
    expect(parse({ num_labels: 1, id2label: undefined }).labels).toBe(1);
    expect(parse({ num_labels: undefined, id2label: undefined }).labels).toBe(2);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['another architecture', { model_type: 'deberta-v2' }, 'model_type is "deberta-v2"; only bert, roberta'],
    ['code of its own', { auto_map: { AutoModel: 'own.Bert' } }, 'auto_map names code of its own'],
    [
      'relative positions',
      { position_embedding_type: 'relative_key' },
      'only "absolute" is built from weights',
    ],
    ['a decoder', { is_decoder: true }, 'a cross-encoder is a plain encoder'],
    [
      'heads that do not divide',
      { num_attention_heads: 3 },
      'hidden_size 128 is not a multiple of num_attention_heads 3',
    ],
    ['no layers', { num_hidden_layers: 0 }, 'num_hidden_layers must be a positive integer, found 0'],
    ['a missing size', { hidden_size: undefined }, 'hidden_size is missing'],
    [
      'more layers than any model',
      { num_hidden_layers: 1e9 },
      'num_hidden_layers is 1000000000; at most 1000',
    ],
    [
      'positions that begin between two rows',
      { model_type: 'roberta', pad_token_id: 0.5 },
      'pad_token_id must be a whole number, found 0.5',
    ],
    ['a size as text', { vocab_size: '30522' }, 'vocab_size must be a positive integer, found "30522"'],
    [
      'a fractional size',
      { intermediate_size: 1.5 },
      'intermediate_size must be a positive integer, found 1.5',
    ],
    ['an absurd size', { vocab_size: 1e15 }, 'vocab_size must be a positive integer'],
    ['a negative epsilon', { layer_norm_eps: -1 }, 'layer_norm_eps must be a number between 0 and 1'],
    ['an unknown activation', { hidden_act: 'swish' }, 'hidden_act "swish" is not supported'],
    ['a name from the prototype', { hidden_act: 'toString' }, 'hidden_act "toString" is not supported'],
    ['three labels', { num_labels: 3, id2label: undefined }, 'the classifier has 3 labels'],
    ['contradicting labels', { num_labels: 1 }, 'num_labels is 1 but id2label names 2'],
  ])('with %s is refused', (_, changes, message) => {
    expect(() => parse(changes)).toThrow(`config.json: `);
    expect(() => parse(changes)).toThrow(message);
  });

  test('that is not JSON, empty, or absent is refused', async () => {
    expect(() => parseModelConfig('{', 'x/config.json')).toThrow('x/config.json: not JSON');
    expect(() => parseModelConfig('  ', 'x/config.json')).toThrow('the file is empty');
    expect(() => parseModelConfig('[]', 'x/config.json')).toThrow('expected a JSON object');
    await expect(readModelConfig(temporaryFolder())).rejects.toThrow(
      'no config.json or bert_config.json here',
    );
  });
});

describe('the config of an exported model of another family', () => {
  test('gives the positions that can be used', () => {
    const roberta = {
      model_type: 'roberta',
      vocab_size: 50265,
      max_position_embeddings: 514,
      pad_token_id: 1,
    };
    expect(parseCrossEncoderConfig(JSON.stringify({ ...roberta, id2label: { 0: 'x' } }))).toEqual({
      modelType: 'roberta',
      vocabulary: 50265,
      maxPositions: 512,
      labels: 1,
    });
    expect(parseCrossEncoderConfig(JSON.stringify(roberta)).labels).toBeUndefined();
    const modern = {
      model_type: 'modernbert',
      vocab_size: 50368,
      max_position_embeddings: 8192,
      pad_token_id: 50283,
    };
    expect(parseCrossEncoderConfig(JSON.stringify(modern)).maxPositions).toBe(8192);
  });

  test('is read from a folder', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'config.json'), '{"model_type":"deberta-v2","vocab_size":128100}');
    expect(await readCrossEncoderConfig(folder)).toMatchObject({
      modelType: 'deberta-v2',
      maxPositions: 512,
    });
  });
});

describe('the five sizes of the paper', () => {
  // Table 1 of the paper: layers, hidden, heads, parameters in millions with Google's vocabulary.
  test.each([
    ['T', 2, 128, 2, 4.4],
    ['S', 4, 256, 4, 11.2],
    ['M', 8, 512, 8, 41.4],
    ['B', 12, 768, 12, 109.5],
    ['L', 24, 1024, 16, 335.1],
  ])('%s', (letter, layers, hidden, heads, millions) => {
    const config = { ...parse({ vocab_size: 30522 }), layers, hidden, heads, intermediate: 4 * hidden };
    expect(sizeLetter(config)).toBe(letter);
    expect(parameterCount(config) / 1e6).toBeCloseTo(millions, 1);
  });

  test('and no letter for others', () => {
    expect(sizeLetter({ layers: 6, hidden: 384 })).toBeUndefined();
  });
});
