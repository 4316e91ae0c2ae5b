export * from './core.js';
export { analyzerFromSpec, readStopwords, stopwordsOf, type AnalyzerSpec } from './analysis/index.js';
export type { FeedbackSource } from './feedback/feedback.js';
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
export { DotProduct } from './models/index.js';
export { bagOfTerms, firstQuery, sumByTerm, type WeightedQuery, type WeightedTerm } from './query.js';
