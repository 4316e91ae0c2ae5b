export type * from './types.js';
export { badInput } from './bad-input.js';
export { ByteSource } from './byte-source.js';
export { linesOf, readLineBlocks, readLines } from './lines.js';
export {
  type DocumentFields,
  type DocumentFormat,
  documentFormats,
  type SourcedDocument,
} from './sourced-document.js';
export { readDocuments, type ReadDocumentsOptions } from './documents.js';
export { type ElementChoice, elementChoices } from './searched-elements.js';
export { readQueries } from './queries.js';
export { topicFields } from './topics.js';
export { type Fold, publishedFolds, readFolds, roundRobinFolds } from './folds.js';
export { readQrels } from './qrels.js';
export {
  formatRun,
  type QueryRanking,
  rankingsOf,
  readRun,
  readRunByQuery,
  type RunSource,
  writeRun,
} from './runs.js';
export { sampleDocuments } from './sample.js';
