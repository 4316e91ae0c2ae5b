import { join } from 'node:path';
import { BertQeError } from '../../common/errors.js';
import { readCrossEncoderConfig } from '../config.js';
import { type JsonObject } from '../../common/json.js';
import { duplicateKey, parseJsonObject, readTextIfPresent } from '../json.js';
import type { Tokenizer } from '../types.js';
import { bertTokenizerFromJson, bertTokenizerFromVocabulary, isBertTokenizer } from './load-bert.js';
import { libraryTokenizer } from './library-tokenizer.js';
import { readSettings } from './settings.js';

/**
 * Loads the tokenizer of a model folder from `tokenizer.json`, else from `vocab.txt`. Refuses an empty or ambiguous
 * vocabulary, missing or duplicate special tokens, and a vocabulary that is not the model's.
 */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
  const { tokenizer, file, exact } = await read(folder);
  const { vocabulary: rows } = await readCrossEncoderConfig(folder);
  const size = tokenizer.vocabularySize;
  // Other families pad their embedding tables to round sizes; BERT does not.
  if (size > rows || (exact && size < rows)) {
    throw new BertQeError(
      'input',
      `${file}: the vocabulary has ${size} entries but the model ${rows} (vocab_size in the config): ` +
        'they are not of the same model',
    );
  }
  const { before, between, after, pad } = tokenizer.template;
  const stray = [...before, ...between, ...after, pad].find((id) => id < 0 || id >= size);
  if (stray !== undefined) {
    throw new BertQeError('input', `${file}: the special token ${stray} is not in the vocabulary of ${size}`);
  }
  return tokenizer;
}

async function read(folder: string): Promise<{ tokenizer: Tokenizer; file: string; exact: boolean }> {
  const settings = await readSettings(folder);
  const jsonFile = join(folder, 'tokenizer.json');
  const jsonText = await readTextIfPresent(jsonFile);
  if (jsonText !== undefined) {
    const json = parseJsonObject(jsonText, jsonFile);
    if (!isBertTokenizer(json)) {
      return { tokenizer: libraryTokenizer(json, settings, jsonFile), file: jsonFile, exact: false };
    }
    refuseDuplicates(jsonText, json, jsonFile);
    return { tokenizer: bertTokenizerFromJson(json, settings, jsonFile), file: jsonFile, exact: true };
  }
  const file = join(folder, 'vocab.txt');
  const text = await readTextIfPresent(file);
  if (text === undefined) {
    throw new BertQeError(
      'missing',
      `${folder}: no tokenizer.json or vocab.txt here. Copy the vocab.txt of the model that it was fine-tuned from; a model ` +
        'with only a SentencePiece file must be saved again with a tokenizer.json.',
    );
  }
  return { tokenizer: bertTokenizerFromVocabulary(text, settings, file), file, exact: true };
}

function refuseDuplicates(text: string, json: JsonObject, file: string): void {
  const twice = duplicateKey(text);
  if (twice !== undefined) throw new BertQeError('input', `${file}: "${twice}" is given twice`);
  const contents = new Set<string>();
  for (const token of (json['added_tokens'] ?? []) as { content?: unknown }[]) {
    const content = String(token.content);
    if (contents.has(content))
      throw new BertQeError('input', `${file}: the added token ${content} is given twice`);
    contents.add(content);
  }
}
