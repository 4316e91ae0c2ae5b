export * from './core.js';
export { BertQE } from './bert-qe.js';
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
export { checkLoadOptions, chooseModels } from './choose-models.js';
export { costOf } from './cost.js';
export { AS_PUBLISHED, BIRCH_DEFAULTS, PUBLISHED } from './defaults.js';
export { combine, expansionScore, interpolate, type Combination } from './equations.js';
export type { Candidate, Evidence, RankedInput } from './evidence.js';
export { checkQuery, initialRanking } from './inputs.js';
export {
  chunkSources,
  passageChoices,
  settingsFrom,
  type FeedbackMethod,
  type PassageChoice,
} from './options.js';
export { lmlNote, paperCost, paperCountNote, publishedFlops, type PaperCost } from './paper-cost.js';
export { phases } from './phases.js';
export { scoreBelow } from './ranking.js';
export { explainedPlace, resultsByScore } from './result.js';
export type { Variant } from './variant.js';
export { countWords, halfOverlapping, type WindowShape } from './windows.js';
