import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { libraryTokenizer } from '../../../src/bert/tokenizer/library-tokenizer.js';

const special = ['<s>', '<pad>', '</s>', '<unk>'];

/** The characters that stand for bytes in byte-level vocabularies. */
const byteCharacters = Array.from({ length: 256 }, (_, byte) => {
  const isShown = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  const hidden = Array.from({ length: byte }, (__, i) => i).filter(
    (i) => !((i > 32 && i < 127) || (i > 160 && i !== 173)),
  );
  return String.fromCharCode(isShown ? byte : 256 + hidden.length);
});
const merges = ['a a', 'aa aa', 'aaaa aaaa', 'a b', 'Ġ a', 'b c'];
const bytePairs = {
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
  model: {
    type: 'BPE',
    vocab: Object.fromEntries(
      [...special, ...byteCharacters, ...merges.map((merge) => merge.replace(' ', ''))].map((piece, id) => [
        piece,
        id,
      ]),
    ),
    merges,
  },
};
const unigram = {
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true },
  model: {
    type: 'Unigram',
    unk_id: 3,
    vocab: [
      ...special.map((name) => [name, 0]),
      ['▁', -2],
      ['a', -3],
      ['aa', -4],
      ['b', -3],
      ['▁a', -4],
      ['bc', -5],
    ],
  },
};

function tokenizerOf(json: object) {
  const added_tokens = special.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const post_processor = {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
      { Sequence: { id: 'B', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    special_tokens: {
      '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
      '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
    },
  };
  const whole = { version: '1.0', added_tokens, normalizer: null, post_processor, decoder: null, ...json };
  return libraryTokenizer(whole, { raw: {}, pad: '<pad>' } as never, 'tokenizer.json');
}

describe.each([
  ['byte pairs', bytePairs],
  ['unigrams', unigram],
])('a library tokenizer of %s', (_, json) => {
  const tokenizer = tokenizerOf(json);

  it('gives the first pieces of a text as it gives all', () => {
    const words = fc.array(fc.stringMatching(/^[abcé語. \n]{1,12}$/), { minLength: 100, maxLength: 900 });
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join(' ');
        const all = tokenizer.encode(text);
        const most = Math.min(254, all.length);
        expect(tokenizer.encode(text, 254).slice(0, most)).toEqual(all.slice(0, most));
      }),
      { numRuns: 60 },
    );
  });

  it('reads no more than a few thousand characters for them', () => {
    const long = tokenizer.encode('a'.repeat(100_000), 254).length;
    expect(long).toBeLessThan(9000);
    expect(tokenizer.encode('a '.repeat(50_000), 254).length).toBeLessThan(3000);
  });
});

describe('a library tokenizer is refused', () => {
  it.each([
    ['ids of which lists would fill the memory', [{ id: 4_000_000_000, content: '<s>' }]],
    ['ids that are none', [{ id: -1, content: '<s>' }]],
    ['tokens that are none', [null]],
    ['tokens in no list', 7],
  ])('with %s', (_, added_tokens) => {
    expect(() => tokenizerOf({ ...unigram, added_tokens })).toThrow(
      expect.objectContaining({ code: 'input', message: expect.stringMatching(/has id|added_tokens/) }),
    );
    const vocab = { ...bytePairs.model.vocab, x: 4_000_000_000 };
    expect(() => tokenizerOf({ ...bytePairs, model: { ...bytePairs.model, vocab } })).toThrow(
      '"x" has id 4000000000, expected a whole number',
    );
  });
});
