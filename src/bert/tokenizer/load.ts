import { folderFiles } from '../model-folder.js';
import type { Tokenizer } from '../types.js';
import { tokenizerOf } from './from-files.js';

/** Loads the tokenizer of a model folder. */
export function loadTokenizer(folder: string): Promise<Tokenizer> {
  return tokenizerOf(folderFiles(folder));
}
