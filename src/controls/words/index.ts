export { skipGramDefaults, type SkipGramCall, type SkipGramSettings } from './skip-gram.js';
export {
  readTerms,
  readVocabulary,
  type Terms,
  type Vocabulary,
  vocabularyOf,
  writeTerms,
  writeVocabulary,
} from './vocabulary.js';
