import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  readDocuments,
  readRunByQuery,
  type Document,
  type Query,
  type QueryRanking,
} from '../collection/index.js';
import { BertQeError, throwIfAborted } from '../common/errors.js';
import { standardStream } from '../common/output.js';
import { DEFAULTS } from '../expansion/index.js';
import { folderCollection, openCollection, type SearchedCollection } from '../remote/index.js';
import { buildIndex, createAnalyzer, Index } from '../retrieval/index.js';
import type { RunInputs } from '../runs/index.js';
import { collectionAddress, documentReading, queriesFrom, retrievalModels } from './collection-options.js';
import type { Io } from './command.js';
import { clusterOptions, documentOptions, firstStageOptions, OPTIONS, pick } from './option-table.js';
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
  ...pick('query', 'queries', 'run'),
  ...firstStageOptions,
} as const;

type SourceValues = OptionValues<typeof sourceOptions>;

/** Queries, their initial rankings and the documents. */
export interface OpenedRun extends InitialRankings {
  readonly collection: SearchedCollection;
  close(): Promise<void>;
}

interface InitialRankings {
  readonly queries: readonly Query[];
  /** Number of rankings. */
  readonly total: number;
  rankings(): AsyncIterable<QueryRanking>;
  /** Everything that rankings and texts depend on. */
  readonly inputs: RunInputs;
}

/** Opens and checks everything before a model runs. */
export async function openRun(options: SourceValues, depth: number, io: Io): Promise<OpenedRun> {
  if ((options.index === undefined) === (options.documents === undefined)) {
    throw usageError('Give either --index DIR (made with bert-qe index) or --documents PATH.');
  }
  const queries = await queriesFrom(options.query, options.queries);
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
  const retriever = collection.retriever(retrievalModels(options));
  const names = Object.keys(firstStageOptions) as (keyof typeof firstStageOptions)[];
  return {
    queries,
    total: queries.length,
    inputs: { 'first stage': JSON.stringify(names.map((name) => [name, options[name]])) },
    async *rankings() {
      for (const query of queries) {
        throwIfAborted(io.signal);
        // As deep as the paper's initial rankings, even where fewer documents are re-ranked.
        const search = { depth: Math.max(depth, DEFAULTS.depth), signal: io.signal };
        yield { query: query.id, ranking: await retriever.search(query, search) };
      }
    },
  };
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
  const known = new Set(queries.map(({ id }) => id));
  const hash = createHash('sha256');
  const ids: string[] = [];
  for await (const { query, ranking } of readRunByQuery(file)) {
    throwIfAborted(io.signal);
    if (options.query === undefined && !known.has(query)) {
      throw new BertQeError(
        'missing',
        `${name}: query "${query}" is not in ${options.queries}; give the queries that the run was made for.`,
      );
    }
    const documents = ranking.slice(0, depth).map(({ id }) => id);
    const missing = await collection.firstMissing(documents, io.signal);
    if (missing !== undefined) {
      throw new BertQeError(
        'missing',
        `${name}: document "${missing}" of query "${query}" is not in ${collection.name}; ` +
          'name the collection that the run was made from.',
      );
    }
    hash.update(JSON.stringify([query, ranking]));
    ids.push(query);
  }
  if (ids.length === 0)
    throw new BertQeError('input', `${name}: the run is empty; give one with rankings in it.`);
  if (options.query !== undefined && ids.length > 1) {
    throw usageError(
      `${name} ranks documents for ${ids.length} queries; give their texts with --queries instead of --query.`,
    );
  }
  return {
    queries: options.query === undefined ? queries : [{ id: ids[0], text: options.query }],
    total: ids.length,
    inputs: { run: hash.digest('hex') },
    rankings: () => readRunByQuery(file),
  };
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
