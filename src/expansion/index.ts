export { BertQE } from './bert-qe.js';
export {
  Reranker,
  type EvidenceOptions,
  type QueryOptions,
  type RerankOptions,
  type RerankProgress,
} from './reranker.js';
export {
  Birch,
  birchScore,
  type BirchDocument,
  type BirchExplanation,
  type BirchLoadOptions,
  type BirchOptions,
  type BirchReranking,
  type BirchRerankOptions,
  type BirchSettings,
  type BirchWeights,
  type ScoredSentence,
  type SentenceEvidence,
} from './birch/index.js';
export type { PhaseCost, RerankCost } from './cost.js';
export { BIRCH_DEFAULTS, DEFAULTS, PUBLISHED } from './defaults.js';
export { combine, expansionScore, interpolate, type Combination } from './equations.js';
export type { Candidate, Evidence, ExpansionChunk } from './evidence.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export type { InputDocument } from './inputs.js';
export { checkLoadOptions } from './choose-models.js';
export type { LoadOptions, ModelChoice, ModelOptions, PhaseModels } from './choose-models.js';
export type { BertQEScorers, PhaseScoreOptions } from './models.js';
export {
  chunkSources,
  settingsFrom,
  type BertQEOptions,
  type ChunkSource,
  type FeedbackMethod,
  type Settings,
} from './options.js';
export { paperCost, type PaperCost, type PaperCounts, type PhaseFlops } from './paper-cost.js';
export { eachPhase, phases, type Phase } from './phases.js';
export { publishedFlops } from './published-flops.js';
export { scoreBelow } from './ranking.js';
export type { RerankedDocument, Reranking } from './result.js';
export { parseVariant, type Variant } from './variant.js';
export { countWords, windowSpans, wordsOf, type WindowShape, type WindowSpan } from './windows.js';
