export { search, type SearchListener } from './search.js';
