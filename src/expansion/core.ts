/** The part of this folder that needs no Node: for browsers. */
export { chosenByOptions, type LoadOptions, type ModelChoice, type PhaseModels } from './choose-models.js';
export type { PhaseCost, RerankCost } from './cost.js';
export { DEFAULTS } from './defaults.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export type { InputDocument } from './inputs.js';
export { loadModels } from './load.js';
export type { BertQEScorers } from './models.js';
export type { BertQEOptions } from './options.js';
export {
  Reranker,
  type EvidenceOptions,
  type QueryOptions,
  type RerankOptions,
  type RerankProgress,
} from './reranker.js';
export type { RerankedDocument, Reranking } from './result.js';
