export { analyzerFromSpec, createAnalyzer, type Analyzer } from './analyzer.js';
export {
  analyzerBases,
  analyzerFingerprint,
  analyzerSpec,
  stemmerNames,
  stopwordsOf,
  type AnalyzerBase,
  type AnalyzerOptions,
  type AnalyzerSpec,
  type StemmerName,
} from './spec.js';
export { readStopwords } from './stopwords/file.js';
