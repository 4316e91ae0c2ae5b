import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { loadTokenizer } from '../../../src/bert/model-folder.js';
import {
  BertNormalizer,
  type NormalizerOptions,
  splitWords,
} from '../../../src/bert/tokenizer/normalizer.js';
import type { Tokenizer } from '../../../src/bert/types.js';
import { collectionNames, collectionPath, describeWithCollections } from '../../support/shared.js';
import { temporaryFolder } from '../scorer/mini-model.js';
import { fuzzTexts } from './fuzz-text.js';
import { digest, expectOracle, readDigests, tokenizerFixture } from './oracle.js';

const FUZZED = 100_000;

// Millions of tokens: seconds on an idle machine, minutes on a busy one.
vi.setConfig({ testTimeout: 600_000 });

const tinyModel = fileURLToPath(new URL('../../../models/tiny', import.meta.url));

/** The many-scripts vocabulary behind a tokenizer_config.json of our choice. */
async function alphabetTokenizer(settings: object): Promise<Tokenizer> {
  const folder = temporaryFolder();
  const vocabulary = tokenizerFixture('alphabet/vocab.txt');
  const size = (await readFile(vocabulary, 'utf8')).split('\n').length - 1;
  await copyFile(vocabulary, join(folder, 'vocab.txt'));
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(settings));
  await writeFile(join(folder, 'config.json'), JSON.stringify({ model_type: 'bert', vocab_size: size }));
  return loadTokenizer(folder);
}

describe('100,000 fuzzed strings give the tokens of the original library', () => {
  test('uncased, our own vocabulary, tokenizer.json', async () => {
    expectOracle('tiny-fuzz', await loadTokenizer(tinyModel), fuzzTexts(FUZZED));
  });

  test('uncased, many scripts, vocab.txt', async () => {
    expectOracle('uncased-fuzz', await alphabetTokenizer({ do_lower_case: true }), fuzzTexts(FUZZED));
  });

  test('cased with accents, many scripts, vocab.txt', async () => {
    expectOracle('cased-fuzz', await alphabetTokenizer({ do_lower_case: false }), fuzzTexts(FUZZED));
  });

  test('added tokens of every kind, lower case with accents, ideographs unsplit', async () => {
    expectOracle('added-fuzz', await loadTokenizer(tokenizerFixture('added')), fuzzTexts(FUZZED));
  });
});

describeWithCollections(
  'every document and query of the collections gives the tokens of the original library',
  () => {
    test('uncased, our own vocabulary', async () => {
      expectOracle('tiny-collections', await loadTokenizer(tinyModel), collectionTexts());
    });

    test('cased with accents', async () => {
      expectOracle('cased-collections', await alphabetTokenizer({ do_lower_case: false }), collectionTexts());
    });
  },
);

describe('every code point is cleaned, stripped, lowered and split as by the original library', () => {
  const uncased = { cleanText: true, splitIdeographs: true, stripAccents: true, lowerCase: true };
  test.each<[string, NormalizerOptions]>([
    ['words-uncased', uncased],
    ['words-cased', { ...uncased, stripAccents: false, lowerCase: false }],
    ['words-accents-kept', { ...uncased, splitIdeographs: false, stripAccents: false }],
    ['words-unclean', { ...uncased, cleanText: false, lowerCase: false }],
  ])('%s', (name, options) => {
    const normalizer = new BertNormalizer(options);
    const expected = readDigests(name);
    const different: string[] = [];
    for (let block = 0; block < 0x1100; block++) {
      // Beyond plane 3 almost nothing is assigned: every sixteenth block will do.
      if (block >= 0x320 && block % 16 > 1) continue;
      const numbers: number[] = [];
      for (let code = block * 256; code < block * 256 + 256; code++) {
        if (code >= 0xd800 && code < 0xe000) continue;
        const c = String.fromCodePoint(code);
        splitWords(normalizer.normalize(`a${c}B ${c} A${c}\u0323\u0301`), (word) => {
          for (const character of word) numbers.push(character.codePointAt(0)!);
          numbers.push(0);
        });
      }
      if (digest(numbers) !== expected[block]) different.push(`U+${(block * 256).toString(16)}`);
    }
    expect(expected).toHaveLength(0x1100);
    expect(different, 'blocks of 256 code points that differ').toEqual([]);
  });
});

/** Title and text of every document, then every query, collection by collection. */
function* collectionTexts(): Generator<string> {
  for (const folder of collectionNames) {
    for (const name of ['corpus.jsonl', 'queries.jsonl']) {
      for (const line of readFileSync(collectionPath(`${folder}/${name}`), 'utf8').split('\n')) {
        if (line === '') continue;
        const record = JSON.parse(line) as { title?: string; text: string };
        yield `${record.title ?? ''} ${record.text}`;
      }
    }
  }
}
