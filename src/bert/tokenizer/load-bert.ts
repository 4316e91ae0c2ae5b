import { isJsonObject, type JsonObject } from '../../common/json.js';
import type { AddedToken } from './added-tokens.js';
import { BertTokenizer } from './bert-tokenizer.js';
import type { NormalizerOptions } from './normalizer.js';
import { parseAddedToken, specialToken, type TokenizerSettings } from './settings.js';
import { bertTemplate, pairTemplate } from './template.js';
import { looksUncased, parseVocabularyObject, parseVocabularyText, type Vocabulary } from './vocabulary.js';
import { badFile } from '../json.js';

/** True if a tokenizer.json describes BERT's own tokenizer. */
export function isBertTokenizer(json: JsonObject): boolean {
  return (
    typeOf(json['model']) === 'WordPiece' &&
    typeOf(json['normalizer']) === 'BertNormalizer' &&
    typeOf(json['pre_tokenizer']) === 'BertPreTokenizer'
  );
}

export function bertTokenizerFromJson(
  json: JsonObject,
  settings: TokenizerSettings,
  file: string,
): BertTokenizer {
  const model = json['model'] as JsonObject;
  const normalizer = json['normalizer'] as JsonObject;
  const vocabulary = parseVocabularyObject(model['vocab'], file);
  const addedTokens = asAddedTokens(json['added_tokens'], file);
  const unknown = typeof model['unk_token'] === 'string' ? model['unk_token'] : undefined;
  const ids = specialIds(vocabulary, addedTokens, { ...settings, ...(unknown && { unknown }) }, file);

  // As in transformers, tokenizer_config.json takes precedence over tokenizer.json.
  const lowerCase = settings.lowerCase ?? normalizer['lowercase'] !== false;
  const accents = settings.stripAccents ?? normalizer['strip_accents'];
  const prefix = model['continuing_subword_prefix'];
  const longest = model['max_input_chars_per_word'];
  return new BertTokenizer({
    vocabulary,
    addedTokens,
    template: pairTemplate(json['post_processor'], ids.pad, file) ?? bertTemplate(ids.cls, ids.sep, ids.pad),
    unknownId: ids.unknown,
    continuingPrefix: typeof prefix === 'string' ? prefix : '##',
    maxWordCharacters: typeof longest === 'number' ? longest : 100,
    cleanText: normalizer['clean_text'] !== false,
    splitIdeographs: settings.splitIdeographs ?? normalizer['handle_chinese_chars'] !== false,
    lowerCase,
    stripAccents: typeof accents === 'boolean' ? accents : lowerCase,
  });
}

export function bertTokenizerFromVocabulary(
  text: string,
  settings: TokenizerSettings,
  file: string,
): BertTokenizer {
  const vocabulary = parseVocabularyText(text, file);
  const lowerCase = settings.lowerCase ?? looksUncased(vocabulary);
  const normalizer: NormalizerOptions = {
    cleanText: true,
    splitIdeographs: settings.splitIdeographs ?? true,
    lowerCase,
    stripAccents: settings.stripAccents ?? lowerCase,
  };
  const ids = specialIds(vocabulary, settings.addedTokens, settings, file);
  const addedTokens = [...settings.addedTokens];
  for (const content of [...Object.values(specialNames(settings)), '[MASK]']) {
    const id = vocabulary.get(content);
    const known = addedTokens.some((token) => token.content === content);
    if (id !== undefined && !known) addedTokens.push(specialToken(content, id));
  }
  return new BertTokenizer({
    ...normalizer,
    vocabulary,
    addedTokens,
    template: bertTemplate(ids.cls, ids.sep, ids.pad),
    unknownId: ids.unknown,
    continuingPrefix: '##',
    maxWordCharacters: 100,
  });
}

type SpecialNames = Record<'unknown' | 'cls' | 'sep' | 'pad', string>;

function specialNames(settings: Partial<SpecialNames>): SpecialNames {
  const { unknown = '[UNK]', cls = '[CLS]', sep = '[SEP]', pad = '[PAD]' } = settings;
  return { unknown, cls, sep, pad };
}

/** The ids of the special tokens, each present and none used twice. */
function specialIds(
  vocabulary: Vocabulary,
  added: readonly AddedToken[],
  settings: Partial<SpecialNames>,
  file: string,
): Record<keyof SpecialNames, number> {
  const bad = (problem: string) => badFile(file, problem);
  const ids = new Map<string, number>();
  for (const { content, id } of added) {
    const held = ids.get(content) ?? vocabulary.get(content) ?? id;
    if (held !== id) throw bad(`the added token "${content}" has two ids, ${held} and ${id}`);
    ids.set(content, id);
  }
  const tokens = new Map<number, string>();
  const idOf = (token: string): number => {
    const id = vocabulary.get(token) ?? ids.get(token);
    if (id === undefined) throw bad(`the special token ${token} is missing`);
    const rival = tokens.get(id);
    if (rival !== undefined) throw bad(`the special tokens ${rival} and ${token} are the same (id ${id})`);
    tokens.set(id, token);
    return id;
  };
  const { unknown, cls, sep, pad } = specialNames(settings);
  return { unknown: idOf(unknown), cls: idOf(cls), sep: idOf(sep), pad: idOf(pad) };
}

function asAddedTokens(value: unknown, file: string): AddedToken[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badFile(file, 'added_tokens is not a list');
  return value.map((item: unknown) => {
    const token = isJsonObject(item) ? parseAddedToken(item, item['id']) : undefined;
    if (token === undefined) {
      throw badFile(file, `${JSON.stringify(item)} in added_tokens is not a token with an id`);
    }
    return token;
  });
}

function typeOf(value: unknown): unknown {
  return isJsonObject(value) ? value['type'] : undefined;
}
