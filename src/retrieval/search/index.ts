export { type WeightedQuery, type WeightedTerm } from '../query.js';
export { Searcher, type SearcherOptions } from './searcher.js';
