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
export { badInput, checkId, formatOrigin } from './bad-input.js';
export { ByteSource } from './byte-source.js';
export type { ByteSourceOptions } from './byte-source.js';
export { linesOf, readLineBlocks, readLines } from './lines.js';
export type { LineBlock, LineOptions, TextLine } from './lines.js';
export { documentFormats } from './sourced-document.js';
export type { DocumentFields, DocumentFormat, SourcedDocument } from './sourced-document.js';
export { countDocuments, readDocumentBatches, readDocuments } from './documents.js';
export type { ReadDocumentsOptions } from './documents.js';
export { elementChoices } from './searched-elements.js';
export type { ElementChoice } from './searched-elements.js';
export { htmlToText } from './html.js';
export type { PageText } from './html.js';
export { readQueries } from './queries.js';
export type { ReadQueriesOptions } from './queries.js';
export { topicFields } from './topics.js';
export type { TopicField } from './topics.js';
export { foldsOfPartitions, readFolds, roundRobinFolds } from './folds.js';
export type { Fold } from './folds.js';
export { publishedFoldNames, publishedFolds } from './published-folds.js';
export { readQrels } from './qrels.js';
export type { ReadQrelsOptions } from './qrels.js';
export { readRun, readRunByQuery } from './runs.js';
export type { QueryRanking, ReadRunOptions } from './runs.js';
export { formatRun, writeRun } from './run-writer.js';
export type { RunSource, WriteRunOptions } from './run-writer.js';
