import { isJsonObject, type JsonObject } from '../../common/json.js';
import type { AddedToken } from './added-tokens.js';
import { BertTokenizer } from './bert-tokenizer.js';
import { parseAddedToken, type TokenizerSettings } from './settings.js';
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
  const { vocab, unk_token: unknown } = json['model'] as JsonObject;
  const vocabulary = parseVocabularyObject(vocab, file);
  const addedTokens = asAddedTokens(json['added_tokens'], file);
  const names = typeof unknown === 'string' && unknown !== '' ? { unknown } : {};
  return bertTokenizer(vocabulary, addedTokens, { ...settings, ...names }, json, file);
}

export function bertTokenizerFromVocabulary(
  text: string,
  settings: TokenizerSettings,
  file: string,
): BertTokenizer {
  const vocabulary = parseVocabularyText(text, file);
  const lowerCase = settings.lowerCase ?? looksUncased(vocabulary);
  const addedTokens = [...settings.addedTokens];
  for (const content of [...Object.values(specialNames(settings)), '[MASK]']) {
    const special = parseAddedToken({ content, special: true }, vocabulary.get(content));
    const isKnown = addedTokens.some((token) => token.content === content);
    if (special && !isKnown) addedTokens.push(special);
  }
  return bertTokenizer(vocabulary, addedTokens, { ...settings, lowerCase }, {}, file);
}

/** BERT's tokenizer. As in transformers, the settings of tokenizer_config.json take precedence over tokenizer.json. */
function bertTokenizer(
  vocabulary: Vocabulary,
  addedTokens: readonly AddedToken[],
  settings: TokenizerSettings,
  json: JsonObject,
  file: string,
): BertTokenizer {
  const model = (json['model'] ?? {}) as JsonObject;
  const normalizer = (json['normalizer'] ?? {}) as JsonObject;
  const ids = specialIds(vocabulary, addedTokens, settings, file);
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
