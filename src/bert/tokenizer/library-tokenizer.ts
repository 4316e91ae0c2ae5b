import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import { clip } from '../../common/clip.js';
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
  checkIds(json, file);
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

/** The library makes lists up to the highest id. */
const MOST_IDS = 10_000_000;

function checkIds(json: JsonObject, file: string): void {
  const { added_tokens: added, model } = json;
  if (added !== undefined && added !== null && !Array.isArray(added)) {
    throw badFile(file, 'added_tokens is not a list');
  }
  const check = (piece: string, id: unknown): void => {
    if (Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) < MOST_IDS) return;
    throw badFile(file, `"${clip(piece, 100)}" has id ${clip(String(id), 100)}, expected a whole number`);
  };
  for (const token of (added ?? []) as unknown[]) {
    if (!isJsonObject(token)) throw badFile(file, 'added_tokens holds something that is no token');
    check(String(token['content']), token['id']);
  }
  const vocabulary = isJsonObject(model) ? model['vocab'] : undefined;
  if (!isJsonObject(vocabulary)) return;
  for (const [piece, id] of Object.entries(vocabulary)) check(piece, id);
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
