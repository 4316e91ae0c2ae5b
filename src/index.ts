/**
 * bert-qe: contextual query expansion for document re-ranking.
 *
 * @module
 */
export { BertQeError, type ErrorCode } from './common/errors.js';
export {
  readDocuments,
  readFolds,
  readQrels,
  readQueries,
  readRun,
  readRunByQuery,
  roundRobinFolds,
  writeRun,
  type Document,
  type DocumentFields,
  type DocumentFormat,
  type DocumentStore,
  type Fold,
  type Qrels,
  type Query,
  type QueryRanking,
  type Ranking,
  type Retriever,
  type Run,
  type ScoredDocument,
  type SearchOptions,
  type SourcedDocument,
} from './collection/index.js';
export {
  Bm25,
  Bo1,
  buildIndex,
  checkIndex,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  Index,
  KL,
  QueryLikelihood,
  readStopwords,
  Rm3,
  Searcher,
  type Analyzer,
  type AnalyzerOptions,
  type BuildOptions,
  type BuildProgress,
  type CheckReport,
  type CollectionStatistics,
  type FeedbackModel,
  type SearcherOptions,
  type WeightedQuery,
  type WeightingModel,
} from './retrieval/index.js';
export {
  BertScorer,
  type Scorer,
  type ScoreOptions,
  type ScorerInfo,
  type ScorerOptions,
  type TextPair,
} from './bert/index.js';
export {
  BertQE,
  type BertQEOptions,
  type BertQEScorers,
  type Explanation,
  type InputDocument,
  type LoadOptions,
  type RerankedDocument,
  type Reranking,
  type RerankOptions,
} from './expansion/index.js';
export { openCollection, type CollectionAddress, type SearchedCollection } from './remote/index.js';
export {
  fleetReranker,
  localReranker,
  rerankForFleet,
  rerankRun,
  rerankToFile,
  type FinishedQuery,
  type RunRerankerOptions,
  type ModelNames,
  type RerankedQuery,
  type RerankerConfig,
  type RerankToFileOptions,
  type RunInputs,
  type RunProgress,
  type RunReranker,
  type RunRerankOptions,
  type RunTotals,
} from './runs/index.js';
export {
  trainModel,
  type PhaseThreeInputs,
  type TrainCall,
  type TrainingInputs,
  type TrainingManifest,
  type TrainingOptions,
  type TrainProgress,
} from './training/index.js';
export {
  compareRuns,
  evaluate,
  parseMeasures,
  type Comparison,
  type Evaluation,
  type EvaluationOptions,
} from './evaluation/index.js';
export { renderExplanation, type RenderOptions } from './cli/index.js';
