import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hashJson } from '../../common/hash.js';
import {
  readDocuments,
  readRunByQuery,
  type Document,
  type DocumentStore,
  type Query,
  type QueryRanking,
} from '../../collection/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { standardStream } from '../../common/output.js';
import { buildIndex, createAnalyzer, Index } from '../../retrieval/index.js';
import type { Io } from '../command.js';
import { engineOptions } from '../engine-options.js';
import type { OptionValues } from '../options.js';
import { Progress } from '../progress.js';
import { retrievalOptions } from '../retrieval-options.js';
import { embedded, openCollection, type SearchedCollection } from '../searched-collection.js';
import type { JournalInputs } from './rerank-journal.js';
import { queriesFrom } from '../queries.js';

/** Initial rankings are at least this deep, as in the paper, whatever part of them is re-ranked. */
const retrievedDepth = 1000;

/** The first stage of `rerank`: DPH with KL expansion unless something else is asked for. */
export const firstStageOptions = {
  ...retrievalOptions,
  expand: { ...retrievalOptions.expand, default: 'kl' },
} as const;

/** Where candidates come from, as the command line names it. */
export const sourceOptions = {
  index: { type: 'string', value: 'DIR', help: 'folder of the index that holds the documents' },
  ...engineOptions,
  documents: {
    type: 'string',
    value: 'FILE',
    help: 'the documents themselves (any format that index reads), indexed for this run only',
  },
  query: { type: 'string', value: 'TEXT', help: 'one query' },
  queries: {
    type: 'string',
    value: 'FILE',
    help: 'queries: BEIR JSONL, TSV, TREC topics, or queries.json lines',
  },
  run: {
    type: 'string',
    value: 'RUN',
    help: 'initial rankings as a TREC run; without it they are retrieved first',
  },
  ...firstStageOptions,
} as const;

type SourceValues = OptionValues<typeof sourceOptions>;

/** Queries, their initial rankings and the documents. */
export interface RerankSource {
  readonly queries: readonly Query[];
  readonly store: DocumentStore;
  /** How many rankings there are. */
  readonly total: number;
  rankings(): AsyncIterable<QueryRanking>;
  /** What the rankings and texts depend on. */
  readonly inputs: JournalInputs;
  close(): Promise<void>;
}

/** Opens everything and checks it before any model runs: a mistake should not show after an hour. */
export async function openSource(options: SourceValues, depth: number, io: Io): Promise<RerankSource> {
  if ((options.index === undefined) === (options.documents === undefined)) {
    throw new BertQeError('usage', 'Give either --index DIR (made with bert-qe index) or --documents FILE.');
  }
  const queries = await queriesFrom(options.query, options.queries);
  // Where there is nothing to keep for the time of the run, a kill should leave nothing behind.
  const isNeeded = options.documents !== undefined || options.run === standardStream;
  const scratch = isNeeded ? await mkdtemp(join(tmpdir(), 'bert-qe-')) : '';
  const cleanUp = async (): Promise<void> => {
    if (isNeeded) await rm(scratch, { recursive: true, force: true });
  };
  try {
    const { collection, identity } = await openDocuments(options, scratch, io);
    try {
      const rankings =
        options.run === undefined
          ? retrieved(options, collection, queries, depth, io)
          : await readFromRun(options, collection, queries, { depth, scratch, io });
      return {
        store: collection.store,
        ...rankings,
        inputs: { ...identity, ...rankings.inputs, queries: hashJson(rankings.queries) },
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

/** The index named, or one made of the documents named. */
async function openDocuments(
  options: SourceValues,
  scratch: string,
  io: Io,
): Promise<{ collection: SearchedCollection; identity: JournalInputs }> {
  const { index, documents } = options;
  if (index !== undefined) {
    const collection = await openCollection({ ...options, index }, io.signal);
    return { collection, identity: { index: collection.identity } };
  }
  if (options.engine !== undefined) {
    throw new BertQeError('usage', '--documents are indexed here; give --engine an --index NAME instead.');
  }
  const folder = join(scratch, 'index');
  const hash = createHash('sha256');
  const progress = new Progress(io, 'documents indexed');
  await buildIndex(hashed(readDocuments(documents!), hash), {
    folder,
    analyzer: createAnalyzer({ base: 'anserini' }),
    signal: io.signal,
    onProgress: ({ done }) => progress.update(done),
  }).finally(() => progress.done());
  return {
    collection: embedded(Index.open(folder), documents!),
    identity: { documents: hash.digest('hex') },
  };
}

async function* hashed<T extends Document>(documents: AsyncIterable<T>, hash: Hash): AsyncGenerator<T> {
  for await (const document of documents) {
    hash.update(JSON.stringify([document.id, document.title, document.text]));
    yield document;
  }
}

type Rankings = Pick<RerankSource, 'queries' | 'total' | 'rankings' | 'inputs'>;

function retrieved(
  options: SourceValues,
  collection: SearchedCollection,
  queries: readonly Query[],
  depth: number,
  io: Io,
): Rankings {
  const searcher = collection.retriever(options);
  const names = Object.keys(firstStageOptions) as (keyof typeof firstStageOptions)[];
  return {
    queries,
    total: queries.length,
    inputs: { 'first stage': JSON.stringify(names.map((name) => [name, options[name]])) },
    async *rankings() {
      for (const query of queries) {
        throwIfAborted(io.signal);
        const ranking = await searcher.search(query, {
          depth: Math.max(depth, retrievedDepth),
          signal: io.signal,
        });
        yield { query: query.id, ranking };
      }
    },
  };
}

async function readFromRun(
  options: SourceValues,
  collection: SearchedCollection,
  queries: readonly Query[],
  { depth, scratch, io }: { depth: number; scratch: string; io: Io },
): Promise<Rankings> {
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
    throw new BertQeError(
      'usage',
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

/** With rankings given there is no first stage to set up. */
function refuseFirstStage(options: SourceValues): void {
  for (const [name, spec] of Object.entries(firstStageOptions)) {
    const unset = 'default' in spec ? spec.default : undefined;
    if (options[name as keyof typeof firstStageOptions] !== unset) {
      throw new BertQeError('usage', `--${name} has no effect with --run, which brings the rankings along.`);
    }
  }
}

/** Standard input can be read once only; the run is read twice. */
async function spool(file: string): Promise<string> {
  await pipeline(process.stdin, createWriteStream(file));
  return file;
}
