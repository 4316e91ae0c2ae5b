export {
  analyzerFromSpec,
  createAnalyzer,
  readStopwords,
  stopwordsOf,
  type Analyzer,
  type AnalyzerOptions,
  type AnalyzerSpec,
} from './analysis/index.js';
export {
  Bo1,
  DivergenceFeedback,
  KL,
  Rm3,
  type FeedbackModel,
  type FeedbackSource,
} from './feedback/index.js';
export {
  buildIndex,
  checkIndex,
  Index,
  type BuildOptions,
  type BuildProgress,
  type CheckReport,
  type CollectionStatistics,
  type ForwardVector,
  type TermFacts,
} from './index/index.js';
export { MemoryIndex, type MemoryIndexOptions } from './memory/memory-index.js';
export { Bm25, DotProduct, Dph, QueryLikelihood, type WeightingModel } from './models/index.js';
export { bagOfTerms, firstQuery, sumByTerm, type WeightedQuery, type WeightedTerm } from './query.js';
export { Searcher, type SearcherOptions } from './search/index.js';
