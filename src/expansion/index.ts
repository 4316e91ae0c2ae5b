export { BertQE } from './bert-qe.js';
export { Reranker, type RerankOptions } from './reranker.js';
export {
  Birch,
  birchScore,
  type BirchDocument,
  type BirchExplanation,
  type BirchLoadOptions,
  type BirchOptions,
  type BirchReranking,
  type BirchRerankOptions,
} from './birch/birch.js';
export { costOf, type PhaseCost, type RerankCost } from './cost.js';
export { AS_PUBLISHED, BIRCH_DEFAULTS, DEFAULTS, PUBLISHED } from './defaults.js';
export { combine, expansionScore, interpolate, type Combination } from './equations.js';
export type { Candidate, Evidence, RankedInput } from './evidence.js';
export type { ExplainedChunk, ExplainedDocument, Explanation } from './explanation.js';
export { checkQuery, initialRanking, withIds, type InputDocument } from './inputs.js';
export { checkLoadOptions, chooseModels, type LoadOptions } from './choose-models.js';
export type { BertQEScorers, PhaseScoreOptions, QueryOptions, RerankProgress } from './models.js';
export {
  chunkSources,
  passageChoices,
  settingsFrom,
  type BertQEOptions,
  type FeedbackMethod,
  type PassageChoice,
  type Settings,
} from './options.js';
export { lmlNote, paperCost, paperCountNote, publishedFlops, type PaperCost } from './paper-cost.js';
export { eachPhase, phases, type Phase } from './phases.js';
export { scoreBelow } from './ranking.js';
export { explainedPlace, type RerankedDocument, type Reranking, resultsByScore } from './result.js';
export { parseVariant, type Variant } from './variant.js';
export { countWords, halfOverlapping, windowSpans, wordsOf, type WindowShape } from './windows.js';
