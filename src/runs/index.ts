export { fleetScorer } from './fleet-scorer.js';
export { fleetReranker, rerankForFleet } from './fleet.js';
export {
  retrievedRankings,
  runRankings,
  type InitialRankings,
  type RetrievedRankingsOptions,
  type RunRankingsOptions,
} from './initial-rankings.js';
export {
  loadBirch,
  loadReranker,
  modelInputs,
  type LoadedReranker,
  type ModelNames,
  type RerankerConfig,
  type RunInputs,
} from './load-reranker.js';
export { readMeanCost, type MeanCost } from './mean-cost.js';
export {
  documentsOf,
  rerankRun,
  withTexts,
  type BirchRerankedQuery,
  type QueryReranker,
  type RerankedQuery,
} from './rerank-run.js';
export {
  localReranker,
  rerankToFile,
  type FinishedQuery,
  type RunRerankerOptions,
  type RerankToFileOptions,
  type RunReranker,
  type RunRerankOptions,
} from './rerank-to-file.js';
export type { RunProgress, RunTotals } from './totals.js';
