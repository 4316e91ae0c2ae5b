import { folderFiles } from '../model-folder.js';
import type { Tokenizer } from '../types.js';
import { tokenizerOf, vocabularyOf } from './from-files.js';

/** Loads the tokenizer in a folder, with or without a model. */
export function loadVocabulary(folder: string): Promise<Tokenizer> {
  return vocabularyOf(folderFiles(folder));
}

/** Loads the tokenizer of a model folder. */
export function loadTokenizer(folder: string): Promise<Tokenizer> {
  return tokenizerOf(folderFiles(folder));
}
