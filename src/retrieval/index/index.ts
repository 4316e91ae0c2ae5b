export { buildIndex, type BuildOptions, type BuildProgress } from './builder.js';
export { checkIndex, type CheckReport } from './check.js';
export { type CollectionStatistics } from './manifest.js';
export { Postings } from './postings.js';
export { Index, type ForwardVector, type IndexedTerm, type TermFacts } from './reader.js';
