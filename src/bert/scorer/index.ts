export { BertScorer, type ScorerInfo, type ScorerOptions } from './bert-scorer.js';
export { logOdds, type Logits, probabilities, sigmoid } from './probabilities.js';
export type { Device } from '../runtime/index.js';
export type { Precision } from '../compile/index.js';
export { inputMeaning, type InputMeaning } from './export-inputs.js';
export { PieceCache } from './piece-cache.js';
export { plan, type PlanOptions } from './plan.js';
export { loadPairCost, type PairCost } from './pair-cost.js';
export type { PairScorer } from './pair-scorer.js';
