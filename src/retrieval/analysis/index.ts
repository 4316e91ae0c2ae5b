export { analyzerFromSpec, createAnalyzer, type Analyzer } from './analyzer.js';
export { analyzerBases, type AnalyzerBase } from './bases.js';
export { analyzerSpec, stopwordsOf, type AnalyzerOptions, type AnalyzerSpec } from './spec.js';
export { readStopwords } from './stopwords/file.js';
