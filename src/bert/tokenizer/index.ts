export { loadTokenizer } from './load.js';
export { BertTokenizer } from './bert-tokenizer.js';
