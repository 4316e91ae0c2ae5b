export type {
  Document,
  DocumentStore,
  Origin,
  Qrels,
  Query,
  Ranking,
  Retriever,
  Run,
  ScoredDocument,
  SearchOptions,
} from './types.js';
export { badInput } from './bad-input.js';
export { ByteSource } from './byte-source.js';
export { linesOf, readLineBlocks, readLines } from './lines.js';
export { documentFormats } from './sourced-document.js';
export type { DocumentFields, DocumentFormat, SourcedDocument } from './sourced-document.js';
export { readDocuments } from './documents.js';
export type { ReadDocumentsOptions } from './documents.js';
export { elementChoices } from './searched-elements.js';
export type { ElementChoice } from './searched-elements.js';
export { readQueries } from './queries.js';
export { topicFields } from './topics.js';
export { foldsOfPartitions, publishedFolds, readFolds, roundRobinFolds } from './folds.js';
export type { Fold } from './folds.js';
export { readQrels } from './qrels.js';
export { readRun, readRunByQuery } from './runs.js';
export type { QueryRanking } from './runs.js';
export { formatRun, writeRun } from './run-writer.js';
export type { RunSource } from './run-writer.js';
export { sampleDocuments } from './sample.js';
