import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFailure, systemCode } from '../common/io-errors.js';
import { type CrossEncoderConfig, crossEncoderConfigOf, type ModelConfig, modelConfigOf } from './config.js';
import { tokenizerOf, vocabularyOf } from './tokenizer/from-files.js';
import type { ModelFiles, Tokenizer } from './types.js';

/** The settings of a model's tokenizer; each file may be absent. */
export const TOKENIZER_SETTINGS: readonly string[] = [
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
];
/** All files of a model's tokenizer. */
export const TOKENIZER_FILES: readonly string[] = ['tokenizer.json', 'vocab.txt', ...TOKENIZER_SETTINGS];

function folderFiles(folder: string): ModelFiles {
  const nameOf = (file: string): string => join(folder, file);
  return { place: folder, nameOf, text: (file) => readTextIfPresent(nameOf(file)) };
}

/** Reads `config.json`, else `bert_config.json`, of a folder as a BERT that the graph writer can build. */
export function readModelConfig(folder: string): Promise<ModelConfig> {
  return modelConfigOf(folderFiles(folder));
}

/** Reads the configuration of a cross-encoder of any architecture. */
export function readCrossEncoderConfig(folder: string): Promise<CrossEncoderConfig> {
  return crossEncoderConfigOf(folderFiles(folder));
}

/** Loads the tokenizer in a folder, with or without a model. */
export function loadVocabulary(folder: string): Promise<Tokenizer> {
  return vocabularyOf(folderFiles(folder));
}

export function loadTokenizer(folder: string): Promise<Tokenizer> {
  return tokenizerOf(folderFiles(folder));
}

function readTextIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw readFailure(file, error);
    return undefined;
  });
}
