export { bagOfTerms, sumByTerm, type WeightedQuery, type WeightedTerm } from '../query.js';
export { firstQuery } from './first-query.js';
export { Searcher, type SearcherOptions } from './searcher.js';
