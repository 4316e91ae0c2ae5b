import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readDocuments, readQrels, readQueries, type Qrels, type Query } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { buildIndex, createAnalyzer, Index } from '../../retrieval/index.js';
import type { Collection } from '../../server/index.js';
import type { Io } from '../command.js';
import type { OptionValues } from '../options.js';
import { makeSearcher } from '../retrieval-options.js';
import { firstStageOptions } from './rerank-source.js';

/** What is searched, as the command line names it. */
export const collectionOptions = {
  index: { type: 'string', value: 'DIR', help: 'folder of the index to search (made with bert-qe index)' },
  demo: {
    type: 'boolean',
    help: 'serve the small collection that comes with the package, with its judgements',
  },
  queries: { type: 'string', value: 'FILE', help: 'queries that the page offers' },
  qrels: {
    type: 'string',
    value: 'FILE',
    help: 'judgements of those queries: relevant documents are marked',
  },
  ...firstStageOptions,
} as const;

/** What was opened, and how to let go of it. */
export interface ServedCollection {
  readonly collection?: Collection;
  readonly queries?: readonly Query[];
  readonly qrels?: Qrels;
  close(): Promise<void>;
}

type Values = OptionValues<typeof collectionOptions>;

export async function openCollection(options: Values, io: Io): Promise<ServedCollection> {
  if (options.demo) return openDemo(options, io);
  if (options.index === undefined) {
    const useless = (['queries', 'qrels'] as const).find((name) => options[name] !== undefined);
    if (useless) throw new BertQeError('usage', `--${useless} has no effect without --index DIR.`);
    return { close: async () => {} };
  }
  const queries = options.queries === undefined ? undefined : await readQueries(options.queries);
  const qrels = options.qrels === undefined ? undefined : await readQrels(options.qrels);
  const index = Index.open(options.index);
  return {
    collection: collectionOf(index, options),
    ...(queries ? { queries } : {}),
    ...(qrels ? { qrels } : {}),
    close: () => index.close(),
  };
}

/** The shipped collection, indexed for as long as the server runs. */
async function openDemo(options: Values, io: Io): Promise<ServedCollection> {
  const useless = (['index', 'queries', 'qrels'] as const).find((name) => options[name] !== undefined);
  if (useless)
    throw new BertQeError('usage', `--${useless} has no effect with --demo, which brings its own.`);
  const folder = fileURLToPath(new URL('../../../demo/', import.meta.url));
  const work = await mkdtemp(join(tmpdir(), 'bert-qe-serve-'));
  const cleanUp = () => rm(work, { recursive: true, force: true });
  try {
    const analyzer = createAnalyzer({ base: 'terrier' });
    await buildIndex(readDocuments(folder), { folder: work, analyzer, signal: io.signal });
    const index = Index.open(work);
    return {
      collection: collectionOf(index, options),
      queries: await readQueries(folder),
      qrels: await readQrels(join(folder, 'qrels.txt')),
      close: async () => {
        await index.close();
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

function collectionOf(index: Index, options: Values): Collection {
  const searcher = makeSearcher(index, options);
  return {
    retriever: searcher,
    documents: index,
    firstStage: [searcher.model.name, searcher.feedback?.name].filter(Boolean).join('+'),
    statistics: index.statistics,
  };
}
