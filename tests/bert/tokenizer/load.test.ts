import { cp, readFile, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { loadTokenizer } from '../../../src/bert/model-folder.js';
import type { PairTemplate } from '../../../src/bert/types.js';
import { temporaryFolder } from '../scorer/mini-model.js';
import { tokenizerFixture } from './oracle.js';

const tinyModel = fileURLToPath(new URL('../../../models/tiny', import.meta.url));
const WORDS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'heat', '##ing', 'é', 'e', 'Heat', '.'];

/** A model folder with these files; objects are written as JSON. */
async function folderWith(files: Record<string, string | object>): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

function vocabularyFolder(words: readonly string[], settings?: object): Promise<string> {
  return folderWith({
    'vocab.txt': words.join('\n'),
    'config.json': { model_type: 'bert', vocab_size: words.length },
    ...(settings && { 'tokenizer_config.json': settings }),
  });
}

/** A tokenizer.json of BERT's kind, with parts replaced. */
function bertJson(vocabulary: Record<string, number>, parts: object = {}): object {
  return {
    added_tokens: [],
    normalizer: { type: 'BertNormalizer', clean_text: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    model: { type: 'WordPiece', unk_token: '[UNK]', vocab: vocabulary },
    ...parts,
  };
}

function idsOf(words: readonly string[]): Record<string, number> {
  return Object.fromEntries(words.map((word, id) => [word, id]));
}

/** The pieces of a short text by a vocab.txt of {@link WORDS} with these settings. */
async function encodeWith(settings: object): Promise<number[]> {
  const tokenizer = await loadTokenizer(await vocabularyFolder(WORDS, settings));
  return [...tokenizer.encode('Heat é')];
}

function withAdded(...tokens: object[]): object {
  return bertJson(idsOf(WORDS), { added_tokens: tokens });
}

function assemble(template: PairTemplate, a: Int32Array, b: Int32Array): { ids: number[]; types: number[] } {
  const first = [...template.before, ...a, ...template.between];
  const second = [...b, ...template.after];
  return {
    ids: [...first, ...second],
    types: [...first.map(() => 0), ...second.map(() => template.secondSegment as number)],
  };
}

describe('a tokenizer is loaded', () => {
  test('from our own model, with BERT’s pair template', async () => {
    const tokenizer = await loadTokenizer(tinyModel);
    expect(tokenizer.vocabularySize).toBe(16384);
    expect(tokenizer.template).toEqual({ before: [2], between: [3], after: [3], secondSegment: 1, pad: 0 });
    expect(tokenizer.encode('')).toEqual(new Int32Array(0));
  });

  test('from vocab.txt: cased, uncased, with and without accents', async () => {
    expect(await encodeWith({ do_lower_case: false })).toEqual([9, 7]);
    expect(await encodeWith({ do_lower_case: true })).toEqual([5, 8]);
    expect(await encodeWith({ do_lower_case: true, strip_accents: false })).toEqual([5, 7]);
  });

  test('from vocab.txt alone: capitals in the vocabulary mean cased', async () => {
    const cased = await loadTokenizer(await vocabularyFolder(WORDS));
    expect([...cased.encode('Heat')]).toEqual([9]);
    const uncased = await loadTokenizer(await vocabularyFolder(WORDS.filter((word) => word !== 'Heat')));
    expect([...uncased.encode('Heat')]).toEqual([5]);
  });

  test('from vocab.txt with special tokens found in the text', async () => {
    const tokenizer = await loadTokenizer(await vocabularyFolder(WORDS, { do_lower_case: true }));
    expect([...tokenizer.encode('heating [SEP] heat.[MASK]')]).toEqual([5, 6, 3, 5, 10, 4]);
  });

  test('from vocab.txt with tokens added by older files', async () => {
    const folder = await vocabularyFolder(WORDS, {
      do_lower_case: true,
      added_tokens_decoder: {
        11: { content: '<Q>', special: true },
        12: { content: 'Steam', special: false },
      },
    });
    await writeFile(join(folder, 'added_tokens.json'), '{"Engine": 13}');
    await writeFile(join(folder, 'config.json'), '{"model_type":"bert","vocab_size":14}');
    const tokenizer = await loadTokenizer(folder);
    expect([...tokenizer.encode('<Q>steam STEAM heat engine')]).toEqual([11, 12, 12, 5, 13]);
  });

  test('with tokenizer_config.json deciding over tokenizer.json, as transformers does', async () => {
    const folder = await folderWith({
      'tokenizer.json': bertJson(idsOf(WORDS)),
      'tokenizer_config.json': { do_lower_case: false },
      'config.json': { model_type: 'bert', vocab_size: WORDS.length },
    });
    expect([...(await loadTokenizer(folder)).encode('Heat')]).toEqual([9]);
  });

  test('with its own prefix, word limit and unknown token', async () => {
    const words = ['<pad>', '<unk>', '<s>', '</s>', 'ab', '@c'];
    const folder = await folderWith({
      'tokenizer.json': bertJson(idsOf(words), {
        model: {
          type: 'WordPiece',
          unk_token: '<unk>',
          continuing_subword_prefix: '@',
          max_input_chars_per_word: 4,
          vocab: idsOf(words),
        },
      }),
      'tokenizer_config.json': { pad_token: '<pad>', cls_token: { content: '<s>' }, sep_token: '</s>' },
      'config.json': { model_type: 'bert', vocab_size: words.length },
    });
    const tokenizer = await loadTokenizer(folder);
    expect([...tokenizer.encode('abc abcc abccc x')]).toEqual([4, 5, 4, 5, 5, 1, 1]);
    expect(tokenizer.template).toEqual({ before: [2], between: [3], after: [3], secondSegment: 1, pad: 0 });
  });

  test.each(['roberta', 'xlmr', 'deberta'])('of another family: %s', async (family) => {
    const folder = tokenizerFixture(family);
    const tokenizer = await loadTokenizer(folder);
    const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as {
      texts: string[];
      ids: number[][];
      pair: { a: string; b: string; ids: number[]; types: number[] };
    };
    expect(expected.texts.map((text) => [...tokenizer.encode(text)])).toEqual(expected.ids);
    const { a, b, ids, types } = expected.pair;
    expect(assemble(tokenizer.template, tokenizer.encode(a), tokenizer.encode(b))).toEqual({ ids, types });
  });
});

describe('a tokenizer is refused', () => {
  test('without files', async () => {
    await expect(loadTokenizer(await folderWith({}))).rejects.toThrow('no tokenizer.json or vocab.txt here');
  });

  test('with an empty vocabulary', async () => {
    await expect(loadTokenizer(await vocabularyFolder([]))).rejects.toThrow(
      'vocab.txt: the vocabulary is empty',
    );
    const json = await folderWith({ 'tokenizer.json': bertJson({}) });
    await expect(loadTokenizer(json)).rejects.toThrow('tokenizer.json: the vocabulary is empty');
    const nothing = await folderWith({ 'tokenizer.json': '' });
    await expect(loadTokenizer(nothing)).rejects.toThrow('not JSON (the file is empty)');
  });

  test.each(['[PAD]', '[UNK]', '[CLS]', '[SEP]'])('when %s is missing', async (token) => {
    const words = WORDS.filter((word) => word !== token);
    await expect(loadTokenizer(await vocabularyFolder(words))).rejects.toThrow(
      `vocab.txt: the special token ${token} is missing`,
    );
  });

  test('when a special token stands twice in vocab.txt', async () => {
    await expect(loadTokenizer(await vocabularyFolder([...WORDS, '[SEP]']))).rejects.toThrow(
      'vocab.txt:12: "[SEP]" already stands on line 4',
    );
  });

  test('when a key stands twice in tokenizer.json', async () => {
    const text = JSON.stringify(bertJson(idsOf(WORDS))).replace('"heat":5', '"heat":5,"[SEP]":12');
    await expect(loadTokenizer(await folderWith({ 'tokenizer.json': text }))).rejects.toThrow(
      '"[SEP]" is given twice',
    );
  });

  test('when two pieces share an id', async () => {
    const json = bertJson({ ...idsOf(WORDS), rival: 5 });
    await expect(loadTokenizer(await folderWith({ 'tokenizer.json': json }))).rejects.toThrow(
      '"heat" and "rival" both have id 5',
    );
  });

  test('when two special tokens are the same', async () => {
    const folder = await vocabularyFolder(WORDS, { cls_token: '[SEP]' });
    await expect(loadTokenizer(folder)).rejects.toThrow(
      'the special tokens [SEP] and [SEP] are the same (id 3)',
    );
  });

  test('when an added token contradicts the vocabulary or another', async () => {
    const contradiction = await folderWith({ 'tokenizer.json': withAdded({ id: 4, content: '[SEP]' }) });
    await expect(loadTokenizer(contradiction)).rejects.toThrow('"[SEP]" has two ids, 3 and 4');
    const twice = await folderWith({
      'tokenizer.json': withAdded({ id: 20, content: 'x' }, { id: 21, content: 'x' }),
    });
    await expect(loadTokenizer(twice)).rejects.toThrow('the added token x is given twice');
    const broken = await folderWith({ 'tokenizer.json': withAdded({ content: 'x' }) });
    await expect(loadTokenizer(broken)).rejects.toThrow('{"content":"x"} in added_tokens is not a token');
  });

  test.each([5, true, { a: 1 }, [null]])('when its added tokens are %j', async (added) => {
    const json = bertJson(idsOf(WORDS), { added_tokens: added });
    await expect(loadTokenizer(await folderWith({ 'tokenizer.json': json }))).rejects.toThrow(/added_tokens/);
  });

  test('when its size is not the model’s', async () => {
    const folder = await vocabularyFolder(WORDS);
    await writeFile(join(folder, 'config.json'), '{"model_type":"bert","vocab_size":30522}');
    await expect(loadTokenizer(folder)).rejects.toThrow(
      'vocab.txt: the vocabulary has 11 entries but the model 30522',
    );
  });

  test('when another family’s vocabulary is larger than the model’s', async () => {
    const folder = temporaryFolder();
    await cp(tokenizerFixture('roberta'), folder, { recursive: true });
    await writeFile(join(folder, 'config.json'), '{"model_type":"roberta","vocab_size":10}');
    await expect(loadTokenizer(folder)).rejects.toThrow('but the model 10');
  });

  test('when it does not say how to join two texts', async () => {
    const folder = temporaryFolder();
    await cp(tokenizerFixture('roberta'), folder, { recursive: true });
    const json = JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')) as object;
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify({ ...json, post_processor: null }));
    await expect(loadTokenizer(folder)).rejects.toThrow('how two texts are put together');
  });

  test('when its template uses tokens that do not exist', async () => {
    const processor = { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 999] };
    const folder = await folderWith({
      'tokenizer.json': bertJson(idsOf(WORDS), { post_processor: processor }),
      'config.json': { model_type: 'bert', vocab_size: WORDS.length },
    });
    await expect(loadTokenizer(folder)).rejects.toThrow(
      'the special token 999 is not in the vocabulary of 11',
    );
  });

  test('when its template is not one of two segments', async () => {
    const template = {
      type: 'TemplateProcessing',
      pair: [{ Sequence: { id: 'B', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      special_tokens: {},
    };
    const swapped = await folderWith({
      'tokenizer.json': bertJson(idsOf(WORDS), { post_processor: template }),
    });
    await expect(loadTokenizer(swapped)).rejects.toThrow('does not put A before B');
    const typed = {
      ...template,
      pair: [{ Sequence: { id: 'A', type_id: 1 } }, { Sequence: { id: 'B', type_id: 1 } }],
    };
    const odd = await folderWith({ 'tokenizer.json': bertJson(idsOf(WORDS), { post_processor: typed }) });
    await expect(loadTokenizer(odd)).rejects.toThrow('token types other than 0 before B');
  });
});
