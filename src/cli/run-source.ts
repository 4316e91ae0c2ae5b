import { usageError } from '../common/errors.js';
import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readDocuments, readRunByQuery, type Document, type Query } from '../collection/index.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { openAll } from '../common/open-all.js';
import { standardStream } from '../common/output.js';
import { DEFAULTS } from '../expansion/index.js';
import { folderCollection, openCollection, type SearchedCollection } from '../remote/index.js';
import { buildIndex, createAnalyzer, Index } from '../retrieval/index.js';
import { retrievedRankings, runRankings, type InitialRankings, type RunInputs } from '../runs/index.js';
import { collectionAddress, documentReading, queriesFrom, retrievalModels } from './collection-options.js';
import type { Io } from './command.js';
import { clusterOptions, documentOptions, firstStageOptions, OPTIONS, queryOptions } from './option-table.js';
import { refuseUseless, text, valueOf, without, type OptionValues } from './options.js';
import { Progress } from './progress.js';
import { type CloseLater, scratchFolder } from './scratch-folder.js';

/** The options that name the queries, initial rankings and documents of a run. */
export const sourceOptions = {
  index: OPTIONS.index,
  ...clusterOptions,
  documents: text('PATH', 'the documents themselves (anything that index reads), indexed for this run only'),
  ...documentOptions,
  'title-field': fieldOfEither('title-field'),
  'text-field': fieldOfEither('text-field'),
  ...queryOptions,
  run: OPTIONS.run,
  ...firstStageOptions,
} as const;

/** A field of the user's own documents, or of a foreign index on a cluster. */
function fieldOfEither(name: 'title-field' | 'text-field') {
  return text('FIELD', `${documentOptions[name].help}; ${clusterOptions[name].help}`);
}

type SourceValues = OptionValues<typeof sourceOptions>;

/** The queries and initial rankings of a run, and its documents. */
export interface OpenedRun extends InitialRankings {
  readonly collection: SearchedCollection;
  close(): Promise<void>;
}

/** Opens and checks everything before a model runs. */
export async function openRun(options: SourceValues, depth: number, io: Io): Promise<OpenedRun> {
  if ((options.index === undefined) === (options.documents === undefined)) {
    throw usageError('Give either --index DIR (made with bert-qe index) or --documents PATH.');
  }
  const queries = await queriesFrom(options, io);
  return openAll(async (closeLater) => {
    const { collection, inputs } = await openDocuments(options, closeLater, io);
    closeLater(() => collection.close());
    const rankings =
      options.run === undefined
        ? retrieved(options, collection, queries, depth, io)
        : await readFromRun(options, collection, queries, { depth, closeLater, io });
    return { ...rankings, collection, inputs: { ...inputs, ...rankings.inputs } };
  });
}

/** The index of `--index`, or one made of the documents of `--documents`. */
async function openDocuments(
  options: SourceValues,
  closeLater: CloseLater,
  io: Io,
): Promise<{ collection: SearchedCollection; inputs: RunInputs }> {
  const { index, documents } = options;
  if (index !== undefined) {
    refuseUseless(without(documentOptions, clusterOptions), options, 'without --documents.');
    const collection = await openCollection(collectionAddress(index, options), io.signal);
    return { collection, inputs: { index: collection.identity } };
  }
  if (options.engine !== undefined) {
    throw usageError('--documents are indexed here; give --engine an --index NAME instead.');
  }
  const folder = await scratchFolder(closeLater);
  const hash = createHash('sha256');
  const progress = new Progress(io, 'documents indexed');
  await buildIndex(hashed(readDocuments(documents!, documentReading(options, io)), hash), {
    folder,
    analyzer: createAnalyzer({ base: 'anserini' }),
    signal: io.signal,
    onProgress: ({ done }) => progress.update(done),
  }).finally(() => progress.done());
  return {
    collection: folderCollection(Index.open(folder), documents!),
    inputs: { documents: hash.digest('hex') },
  };
}

async function* hashed<T extends Document>(documents: AsyncIterable<T>, hash: Hash): AsyncGenerator<T> {
  for await (const document of documents) {
    hash.update(JSON.stringify([document.id, document.title, document.text]));
    yield document;
  }
}

function retrieved(
  options: SourceValues,
  collection: SearchedCollection,
  queries: readonly Query[],
  depth: number,
  io: Io,
): InitialRankings {
  const values = Object.keys(firstStageOptions).map((name) => [name, valueOf(options, name)]);
  return retrievedRankings(collection.retriever(retrievalModels(options)), queries, {
    // As deep as the paper's initial rankings, even where fewer documents are re-ranked.
    depth: Math.max(depth, DEFAULTS.depth),
    inputs: { 'first stage': JSON.stringify(values) },
    signal: io.signal,
  });
}

async function readFromRun(
  options: SourceValues,
  collection: SearchedCollection,
  queries: readonly Query[],
  { depth, closeLater, io }: { depth: number; closeLater: CloseLater; io: Io },
): Promise<InitialRankings> {
  refuseUseless(firstStageOptions, options, 'with --run, which brings the rankings along.');
  const name = options.run!;
  // The run is read twice, which standard input cannot be.
  const isInput = name === standardStream;
  const file = isInput ? join(await scratchFolder(closeLater), 'run') : name;
  if (isInput) await pipeline(process.stdin, createWriteStream(file));
  const { query: text } = options;
  return runRankings(file, text === undefined ? queries : await queryOfRun(file, name, text), {
    collection,
    depth,
    signal: io.signal,
    names: { run: name, ...omitUndefined({ queries: options.queries }) },
    onlyQueries: options.qrels !== undefined,
  });
}

/** The text of `--query` as the query of a run, which must have one ranking. */
async function queryOfRun(file: string, name: string, text: string): Promise<Query[]> {
  const queries: Query[] = [];
  for await (const { query: id } of readRunByQuery(file)) queries.push({ id, text });
  if (queries.length > 1) {
    throw usageError(
      `${name} ranks documents for ${queries.length} queries; give their texts with --queries instead of --query.`,
    );
  }
  return queries;
}
