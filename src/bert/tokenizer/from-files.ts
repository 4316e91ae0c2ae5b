import { missingError } from '../../common/errors.js';
import { crossEncoderConfigOf } from '../config.js';
import { isJsonObject, type JsonObject } from '../../common/json.js';
import { badFile, duplicateKey, parseJsonObject } from '../json.js';
import type { ModelFiles, Tokenizer } from '../types.js';
import { BertTokenizer } from './bert-tokenizer.js';
import { bertTokenizerFromJson, bertTokenizerFromVocabulary, isBertTokenizer } from './load-bert.js';
import { readSettings } from './settings.js';

/**
 * The tokenizer of a model, made from `tokenizer.json`, else from `vocab.txt`. Refuses an empty or ambiguous
 * vocabulary, missing or duplicate special tokens, and a vocabulary that is not the model's.
 */
export async function tokenizerOf(files: ModelFiles): Promise<Tokenizer> {
  const { tokenizer, file } = await read(files);
  const { vocabulary: rows } = await crossEncoderConfigOf(files);
  const size = tokenizer.vocabularySize;
  // Other families pad their embedding tables to round sizes; BERT does not.
  if (size > rows || (tokenizer instanceof BertTokenizer && size < rows)) {
    throw badFile(
      file,
      `the vocabulary has ${size} entries but the model ${rows} (vocab_size in the config): they are not of the same model`,
    );
  }
  requireSpecialTokens(tokenizer, file);
  return tokenizer;
}

/** The tokenizer in some files, which need not be a model's. */
export async function vocabularyOf(files: ModelFiles): Promise<Tokenizer> {
  const { tokenizer, file } = await read(files);
  requireSpecialTokens(tokenizer, file);
  return tokenizer;
}

function requireSpecialTokens({ template, vocabularySize }: Tokenizer, file: string): void {
  const { before, between, after, pad } = template;
  const stray = [...before, ...between, ...after, pad].find((id) => id < 0 || id >= vocabularySize);
  if (stray !== undefined) {
    throw badFile(file, `the special token ${stray} is not in the vocabulary of ${vocabularySize}`);
  }
}

async function read(files: ModelFiles): Promise<{ readonly tokenizer: Tokenizer; readonly file: string }> {
  const settings = await readSettings(files);
  const jsonFile = files.nameOf('tokenizer.json');
  const jsonText = await files.text('tokenizer.json');
  if (jsonText !== undefined) {
    const json = parseJsonObject(jsonText, jsonFile);
    if (!isBertTokenizer(json)) {
      // Loaded when it is needed: most models have BERT's own tokenizer.
      const { libraryTokenizer } = await import('./library-tokenizer.js');
      return { tokenizer: libraryTokenizer(json, settings, jsonFile), file: jsonFile };
    }
    refuseDuplicates(jsonText, json, jsonFile);
    return { tokenizer: bertTokenizerFromJson(json, settings, jsonFile), file: jsonFile };
  }
  const file = files.nameOf('vocab.txt');
  const text = await files.text('vocab.txt');
  if (text === undefined) {
    throw missingError(
      `${files.place}: no tokenizer.json or vocab.txt here. Copy the vocab.txt of the model that it was fine-tuned ` +
        'from; a model with only a SentencePiece file must be saved again with a tokenizer.json.',
    );
  }
  return { tokenizer: bertTokenizerFromVocabulary(text, settings, file), file };
}

function refuseDuplicates(text: string, json: JsonObject, file: string): void {
  const twice = duplicateKey(text);
  if (twice !== undefined) throw badFile(file, `"${twice}" is given twice`);
  const contents = new Set<string>();
  const added = json['added_tokens'];
  // What is no list of tokens is refused later.
  for (const token of Array.isArray(added) ? (added as unknown[]) : []) {
    if (!isJsonObject(token)) continue;
    const content = String(token['content']);
    if (contents.has(content)) throw badFile(file, `the added token ${content} is given twice`);
    contents.add(content);
  }
}
