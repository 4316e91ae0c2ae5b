import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readDocuments, readRunByQuery, type Document, type Query } from '../collection/index.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { standardStream } from '../common/output.js';
import { DEFAULTS } from '../expansion/index.js';
import { folderCollection, openCollection, type SearchedCollection } from '../remote/index.js';
import { buildIndex, createAnalyzer, Index } from '../retrieval/index.js';
import { retrievedRankings, runRankings, type InitialRankings, type RunInputs } from '../runs/index.js';
import { collectionAddress, documentReading, queriesFrom, retrievalModels } from './collection-options.js';
import type { Io } from './command.js';
import {
  clusterOptions,
  documentOptions,
  firstStageOptions,
  OPTIONS,
  pick,
  queryOptions,
} from './option-table.js';
import { usageError, type OptionValues } from './options.js';
import { Progress } from './progress.js';

/** The options that name the queries, initial rankings and documents of a run. */
export const sourceOptions = {
  index: OPTIONS.index,
  ...clusterOptions,
  documents: {
    type: 'string',
    value: 'PATH',
    help: 'the documents themselves (anything that index reads), indexed for this run only',
  },
  ...documentOptions,
  'title-field': {
    ...documentOptions['title-field'],
    help: `${documentOptions['title-field'].help}; ${clusterOptions['title-field'].help}`,
  },
  'text-field': {
    ...documentOptions['text-field'],
    help: `${documentOptions['text-field'].help}; ${clusterOptions['text-field'].help}`,
  },
  ...queryOptions,
  ...pick('run'),
  ...firstStageOptions,
} as const;

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
  // A kill leaves the folder behind, so it is made only where it is needed.
  const isNeeded = options.documents !== undefined || options.run === standardStream;
  const scratch = isNeeded ? await mkdtemp(join(tmpdir(), 'bert-qe-')) : '';
  const cleanUp = async (): Promise<void> => {
    if (isNeeded) await rm(scratch, { recursive: true, force: true });
  };
  try {
    const { collection, inputs } = await openDocuments(options, scratch, io);
    try {
      const rankings =
        options.run === undefined
          ? retrieved(options, collection, queries, depth, io)
          : await readFromRun(options, collection, queries, { depth, scratch, io });
      return {
        ...rankings,
        collection,
        inputs: { ...inputs, ...rankings.inputs },
        close: async () => {
          await collection.close();
          await cleanUp();
        },
      };
    } catch (error) {
      await collection.close();
      throw error;
    }
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

/** The index of `--index`, or one made of the documents of `--documents`. */
async function openDocuments(
  options: SourceValues,
  scratch: string,
  io: Io,
): Promise<{ collection: SearchedCollection; inputs: RunInputs }> {
  const { index, documents } = options;
  if (index !== undefined) {
    for (const name of ['id-field', 'table', 'sql'] as const) {
      if (options[name] === undefined) continue;
      throw usageError(`--${name} has no effect without --documents.`);
    }
    if (options.format !== 'auto') {
      throw usageError('--format has no effect without --documents.');
    }
    const collection = await openCollection(collectionAddress(index, options), io.signal);
    return { collection, inputs: { index: collection.identity } };
  }
  if (options.engine !== undefined) {
    throw usageError('--documents are indexed here; give --engine an --index NAME instead.');
  }
  const folder = join(scratch, 'index');
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
  const names = Object.keys(firstStageOptions) as (keyof typeof firstStageOptions)[];
  return retrievedRankings(collection.retriever(retrievalModels(options)), queries, {
    // As deep as the paper's initial rankings, even where fewer documents are re-ranked.
    depth: Math.max(depth, DEFAULTS.depth),
    inputs: { 'first stage': JSON.stringify(names.map((name) => [name, options[name]])) },
    signal: io.signal,
  });
}

async function readFromRun(
  options: SourceValues,
  collection: SearchedCollection,
  queries: readonly Query[],
  { depth, scratch, io }: { depth: number; scratch: string; io: Io },
): Promise<InitialRankings> {
  refuseFirstStage(options);
  const name = options.run!;
  const file = name === standardStream ? await spool(join(scratch, 'run')) : name;
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

/** Refuses options of the first stage beside `--run`, which brings the rankings along. */
function refuseFirstStage(options: SourceValues): void {
  for (const [name, spec] of Object.entries(firstStageOptions)) {
    const unset = 'default' in spec ? spec.default : undefined;
    if (options[name as keyof typeof firstStageOptions] !== unset) {
      throw usageError(`--${name} has no effect with --run, which brings the rankings along.`);
    }
  }
}

/** Copies standard input to a file: the run is read twice. */
async function spool(file: string): Promise<string> {
  await pipeline(process.stdin, createWriteStream(file));
  return file;
}
