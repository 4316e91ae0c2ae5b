/**
 * BERT-QE in the browser: the same re-ranker on onnxruntime-web, in Web Workers. No server, and nothing is uploaded.
 *
 * @module
 */
export { BertQeError, type ErrorCode } from '../common/errors.js';
export type { Scorer, ScoreOptions, TextPair } from '../bert/core.js';
export type {
  BertQEOptions,
  BertQEScorers,
  Explanation,
  InputDocument,
  RerankedDocument,
  Reranking,
  RerankOptions,
  RerankProgress,
} from '../expansion/core.js';
export type { Document, Query, Ranking } from '../collection/index.js';
export {
  Bm25,
  Bo1,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  KL,
  MemoryIndex,
  QueryLikelihood,
  Rm3,
  Searcher,
  type Analyzer,
  type FeedbackModel,
  type MemoryIndexOptions,
  type SearcherOptions,
  type WeightingModel,
} from '../retrieval/core.js';
export { BertQE, type WebLoadOptions } from './bert-qe.js';
export { BertScorer, type WebModelOptions, type WebScorerOptions } from './bert-scorer.js';
export type { DownloadProgress, Integrity, Keeping } from './downloads.js';
export type { WebScorerInfo } from './scorer-service.js';
