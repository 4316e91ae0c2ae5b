/** The part of this folder that needs no Node: for browsers. */
export { chosenByOptions, type LoadOptions, type ModelChoice, type PhaseModels } from './choose-models.js';
export type { PhaseCost, RerankCost } from './cost.js';
export { DEFAULTS } from './defaults.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export { type InputDocument, withIds } from './inputs.js';
export { loadModels } from './load.js';
export type { BertQEScorers, PhaseScoreOptions, QueryOptions, RerankProgress } from './models.js';
export type { BertQEOptions, Settings } from './options.js';
export { eachPhase, type Phase } from './phases.js';
export { Reranker, type EvidenceOptions, type RerankOptions } from './reranker.js';
export type { RerankedDocument, Reranking } from './result.js';
export { parseVariant } from './variant.js';
export { windowSpans, wordsOf } from './windows.js';
