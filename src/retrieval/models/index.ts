export { Bm25 } from './bm25.js';
export { DotProduct } from './dot-product.js';
export { Dph, dphOf } from './dph.js';
export { GRID_STEP, type TermScorer, type WeightingModel } from './model.js';
export { QueryLikelihood } from './ql.js';
