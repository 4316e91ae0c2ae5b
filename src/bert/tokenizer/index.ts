export { loadTokenizer } from './load.js';
export { BertTokenizer, type BertTokenizerOptions } from './bert-tokenizer.js';
export type { AddedToken } from './added-tokens.js';
