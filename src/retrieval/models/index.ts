export { Bm25, type Bm25Options } from './bm25.js';
export { Dph, dphOf } from './dph.js';
export type { LengthNorm } from './lengths.js';
export { GRID_STEP, onGrid, type TermScorer, type TermStatistics, type WeightingModel } from './model.js';
export { QueryLikelihood, type QlOptions } from './ql.js';
