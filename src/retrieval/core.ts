/** The part of this folder that needs no Node: for browsers. */
export { createAnalyzer, type Analyzer } from './analysis/analyzer.js';
export type { AnalyzerOptions } from './analysis/spec.js';
export { Bo1, DivergenceFeedback, KL, type DivergenceOptions } from './feedback/divergence.js';
export type { FeedbackModel } from './feedback/feedback.js';
export { Rm3, type Rm3Options } from './feedback/rm3.js';
export { MemoryIndex, type MemoryIndexOptions } from './memory/memory-index.js';
export { Bm25 } from './models/bm25.js';
export { Dph } from './models/dph.js';
export { QueryLikelihood } from './models/ql.js';
export type { WeightingModel } from './models/model.js';
export { Searcher, type SearcherOptions } from './search/searcher.js';
