export { BertQE, type BertQEScorers, type RerankOptions, type RerankProgress } from './bert-qe.js';
export { chunkSources, type BertQEOptions, type ChunkSource, type Settings } from './options.js';
export type { InputDocument } from './inputs.js';
export type { PhaseCost, RerankCost, RerankedDocument, Reranking } from './result.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export { windowSpans, wordsOf, type WindowShape, type WindowSpan } from './windows.js';
export { phases, type Phase } from './scoring.js';
