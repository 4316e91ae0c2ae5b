export { loadTokenizer, loadVocabulary } from './load.js';
export { BertTokenizer } from './bert-tokenizer.js';
