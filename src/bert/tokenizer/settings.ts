import { omitUndefined } from '../../common/omit-undefined.js';
import { isJsonObject, type JsonObject } from '../../common/json.js';
import { parseJsonObject } from '../json.js';
import type { ModelFiles } from '../types.js';
import type { AddedToken } from './added-tokens.js';

/** The settings in `tokenizer_config.json` and its older companions; each may be absent. */
export interface TokenizerSettings {
  readonly lowerCase?: boolean;
  readonly stripAccents?: boolean;
  readonly splitIdeographs?: boolean;
  readonly unknown?: string;
  readonly cls?: string;
  readonly sep?: string;
  readonly pad?: string;
  readonly addedTokens: readonly AddedToken[];
  /** The parsed file, for tokenizers of other families. */
  readonly raw: JsonObject;
}

/** Reads `tokenizer_config.json`, `special_tokens_map.json` and `added_tokens.json` of a model folder. */
export async function readSettings(files: ModelFiles): Promise<TokenizerSettings> {
  const raw = await readObject(files, 'tokenizer_config.json');
  const map = await readObject(files, 'special_tokens_map.json');
  const added = await readObject(files, 'added_tokens.json');
  const flag = (name: string): boolean | undefined => {
    const value = raw[name];
    return typeof value === 'boolean' ? value : undefined;
  };
  const token = (name: string): string | undefined => contentOf(raw[name]) ?? contentOf(map[name]);
  const decoder = raw['added_tokens_decoder'];
  const decoded = isJsonObject(decoder) ? Object.entries(decoder) : [];
  return {
    raw,
    addedTokens: [
      ...decoded.flatMap(([id, value]) => parseAddedToken(value, Number(id)) ?? []),
      ...Object.entries(added).flatMap(([content, id]) => parseAddedToken({ content }, id) ?? []),
    ],
    ...omitUndefined({
      lowerCase: flag('do_lower_case'),
      stripAccents: flag('strip_accents'),
      splitIdeographs: flag('tokenize_chinese_chars'),
      unknown: token('unk_token'),
      cls: token('cls_token'),
      sep: token('sep_token'),
      pad: token('pad_token'),
    }),
  };
}

/** Reads an added token of tokenizer.json or tokenizer_config.json; undefined if it is not one. */
export function parseAddedToken(value: unknown, id: unknown): AddedToken | undefined {
  if (!isJsonObject(value) || typeof value['content'] !== 'string') return undefined;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return undefined;
  return {
    id,
    content: value['content'],
    singleWord: value['single_word'] === true,
    stripLeft: value['lstrip'] === true,
    stripRight: value['rstrip'] === true,
    // Tokens are found in normalised text unless they are special or say otherwise.
    normalized: typeof value['normalized'] === 'boolean' ? value['normalized'] : value['special'] !== true,
  };
}

/** The text of a token that is written as text or as an object with its content. */
function contentOf(value: unknown): string | undefined {
  const content = isJsonObject(value) ? value['content'] : value;
  return typeof content === 'string' ? content : undefined;
}

/** The object of a file; empty where there is no such file. */
async function readObject(files: ModelFiles, name: string): Promise<JsonObject> {
  const text = await files.text(name);
  return text === undefined ? {} : parseJsonObject(text, files.nameOf(name));
}
