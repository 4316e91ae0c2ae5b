export { BertQE, type RerankOptions, type RerankProgress } from './bert-qe.js';
export {
  chunkSources,
  settingsFrom,
  type BertQEOptions,
  type ChunkSource,
  type FeedbackMethod,
  type Settings,
} from './options.js';
export { DEFAULTS, PUBLISHED } from './defaults.js';
export type { InputDocument } from './inputs.js';
export type { PhaseCost, RerankCost, RerankedDocument, Reranking } from './result.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export { windowSpans, wordsOf, type WindowShape, type WindowSpan } from './windows.js';
export { eachPhase, phases, type BertQEScorers, type Phase } from './scoring.js';
export { rerankRun, type RerankedQuery } from './rerank-run.js';
export type { LoadOptions, ModelChoice, ModelOptions, PhaseModels } from './load.js';
export { scoreBelow } from './order.js';
export { combine, interpolate, type Combination } from './combine.js';
export { expansionScore } from './phase-three.js';
export { paperCost, type PaperCost, type PaperCounts, type PhaseFlops } from './paper-cost.js';
export { publishedFlops } from './published-flops.js';
export { parseVariant, type Variant } from './variant.js';
