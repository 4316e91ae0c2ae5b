export { Searcher, type SearcherOptions } from './searcher.js';
