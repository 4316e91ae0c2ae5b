import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { reasonOf } from '../../common/errors.js';
import { isJsonObject, type JsonObject } from '../../common/json.js';
import type { Tokenizer } from '../types.js';
import type { TokenizerSettings } from './settings.js';
import { pairTemplate } from './template.js';
import { badFile } from '../json.js';

/**
 * A tokenizer.json of another family (byte-level BPE of RoBERTa and ModernBERT, Unigram of XLM-R and DeBERTa, …), run
 * by Hugging Face's JavaScript library.
 */
export function libraryTokenizer(json: JsonObject, settings: TokenizerSettings, file: string): Tokenizer {
  let library: LibraryTokenizer;
  try {
    library = new LibraryTokenizer(json, settings.raw);
  } catch (error) {
    throw badFile(file, `this tokenizer is not supported (${reasonOf(error)})`, error);
  }
  const vocabulary = library.get_vocab();
  if (vocabulary.size === 0) throw badFile(file, 'the vocabulary is empty');
  let highest = -1;
  for (const id of vocabulary.values()) highest = Math.max(highest, id);

  const template = pairTemplate(json['post_processor'], padId(json, settings, vocabulary, file), file);
  if (template === undefined) {
    throw badFile(file, 'it does not say how two texts are put together (post_processor)');
  }
  return {
    vocabularySize: highest + 1,
    template,
    encode: (text, most) =>
      Int32Array.from(
        firstPieces(text, most, (part) => library.encode(part, { add_special_tokens: false }).ids),
      ),
  };
}

/**
 * Characters of a text that are encoded to find its first pieces, and four times as many where they are too few. The
 * library encodes whole texts only, up to a second of junk.
 */
const CHARACTERS = [2048, 8192];

/** The first pieces of a text, and perhaps more. Texts are cut in front of white space, where no piece ends otherwise. */
function firstPieces(
  text: string,
  most: number | undefined,
  encode: (part: string) => readonly number[],
): readonly number[] {
  if (most === undefined) return encode(text);
  let ids: readonly number[] = [];
  for (const characters of CHARACTERS) {
    const part = beginning(text, characters);
    ids = encode(part);
    if (ids.length >= most || part.length === text.length) break;
  }
  return ids;
}

/** The beginning of a text, which ends in front of white space if there is any. */
function beginning(text: string, characters: number): string {
  if (text.length <= characters) return text;
  let end = characters;
  while (end > 0 && !isSpace(text[end])) end--;
  while (end > 0 && isSpace(text[end - 1])) end--;
  return end > 0 ? text.slice(0, end) : text.slice(0, characters).toWellFormed();
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}

function padId(
  json: JsonObject,
  settings: TokenizerSettings,
  vocabulary: ReadonlyMap<string, number>,
  file: string,
): number {
  const padding = json['padding'];
  const stated = isJsonObject(padding) ? padding['pad_id'] : undefined;
  const names = settings.pad === undefined ? ['<pad>', '[PAD]'] : [settings.pad];
  const name = names.find((candidate) => vocabulary.has(candidate));
  const id = name === undefined ? stated : vocabulary.get(name);
  if (typeof id === 'number') return id;
  throw badFile(file, `the special token ${names.join(' or ')} is missing`);
}
