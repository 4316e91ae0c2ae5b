import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocuments, readQrels, readQueries, type Qrels, type Query } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { buildIndex, createAnalyzer, Index, Searcher } from '../../retrieval/index.js';
import { defaultLimits, RerankServer, ServerLog, type Collection } from '../../server/index.js';
import { judgementsFrom, retrievalModels } from '../collection-options.js';
import { defineCommand, type Io } from '../command.js';
import { firstStageOptions, OPTIONS, pick } from '../option-table.js';
import { usageError, type OptionValues } from '../options.js';
import { demoFolder, packageVersion } from '../../common/package-files.js';

/** The models that are served where none are named: useful combinations of those that come with the package. */
const shipped = ['SST', 'SSS', 'STT', 'TTT', 'S', 'T'];

const megabyte = 1024 * 1024;

const options = {
  index: { ...OPTIONS.index, help: 'folder of the index to search (made with bert-qe index)' },
  demo: {
    type: 'boolean',
    help: 'serve the small collection that comes with the package, with its judgements',
  },
  queries: { ...OPTIONS.queries, help: 'queries that the page offers' },
  qrels: { ...OPTIONS.qrels, help: 'judgements of those queries: relevant documents are marked' },
  ...firstStageOptions,
  models: {
    type: 'string',
    value: 'LMT',
    multiple: true,
    help: `models that requests may name, the first is the default: letters, a model, or phase1+phase2+phase3 (${shipped.join(', ')})`,
  },
  alias: {
    type: 'string',
    value: 'NAME=MODEL',
    multiple: true,
    help: "a further name for a model; '*=MODEL' serves every unknown name with it",
  },
  'strict-models': {
    type: 'boolean',
    help: 'refuse unknown names of models (404) instead of serving them with the default',
  },
  ...pick('device', 'precision'),
  alpha: { ...OPTIONS.alpha, help: 'share of rel(C,d), where a request sets none' },
  beta: { ...OPTIONS.beta, help: 'share of ln M, where a request sets none' },
  depth: { ...OPTIONS.depth, max: 10_000, default: 100, help: 'documents that a search re-ranks' },
  host: {
    type: 'string',
    value: 'ADDRESS',
    default: '127.0.0.1',
    help: 'where to listen; 0.0.0.0 is everywhere',
  },
  port: { type: 'integer', min: 0, max: 65_535, default: 8080, help: '0 takes a free one' },
  'api-keys': {
    type: 'string',
    value: 'FILE',
    help: 'a key per line: only who has one may ask (also: BERT_QE_API_KEYS, separated by commas)',
  },
  cors: { type: 'string', value: 'ORIGIN', multiple: true, help: 'pages of this origin may ask; * is any' },
  'trust-proxy': { type: 'boolean', help: "take the client's address from X-Forwarded-For" },
  'max-body': {
    type: 'number',
    min: 0.001,
    default: defaultLimits.bodyBytes / megabyte,
    help: 'largest body, in MB',
  },
  'max-documents': {
    type: 'integer',
    min: 1,
    default: defaultLimits.documents,
    help: 'most documents of one request',
  },
  'max-values': {
    type: 'integer',
    min: 1,
    default: defaultLimits.values,
    help: 'most JSON values (texts, numbers, objects, lists) in a body',
  },
  'max-pairs': {
    type: 'integer',
    min: 1,
    default: defaultLimits.pairs,
    help: 'most pairs that one request makes the models score',
  },
  'max-request-tokens': {
    type: 'integer',
    min: 1,
    default: defaultLimits.requestTokens,
    help: 'most work of one request, in tokens',
  },
  'max-queue-tokens': {
    type: 'integer',
    min: 1,
    default: defaultLimits.queueTokens,
    help: 'most work that may wait; beyond it clients are sent away (429)',
  },
  deadline: { type: 'number', min: 0.001, default: 30, help: 'seconds that a request may take' },
  drain: {
    type: 'number',
    min: 0,
    default: 30,
    help: 'seconds to finish admitted requests when told to stop',
  },
  experiments: {
    type: 'string',
    value: 'DIR',
    default: 'results',
    help: 'folder of the results of bert-qe experiment, for the page',
  },
  'log-level': {
    type: 'string',
    choices: ['silent', 'error', 'info', 'debug'],
    default: 'info',
    help: 'what is logged to stderr, as JSON lines; never texts',
  },
} as const;

type Values = OptionValues<typeof options>;

export const serveCommand = defineCommand({
  name: 'serve',
  summary:
    'Serve re-ranking (Cohere, Jina, Voyage, TEI), search in three phases, and a page that shows them.',
  options,
  examples: [
    'bert-qe serve --demo',
    'bert-qe serve --index scifact.index --queries queries.jsonl --qrels qrels.txt --port 9000',
    'bert-qe serve --models S --host 0.0.0.0 --api-keys keys.txt --alias rerank-v3.5=S --strict-models',
  ],
  async run({ options, io }) {
    const keys = await readKeys(options['api-keys']);
    const aliases = new Map(options.alias.map(parseAlias));
    const { close, ...served } = await openServed(options, io);
    try {
      const server = await RerankServer.start({
        ...served,
        version: packageVersion(),
        log: new ServerLog(options['log-level'], io.stderr),
        models: options.models.length > 0 ? options.models : shipped,
        aliases,
        strictModels: options['strict-models'],
        device: options.device,
        precision: options.precision,
        method: { alpha: options.alpha, beta: options.beta },
        depth: options.depth,
        host: options.host,
        port: options.port,
        keys,
        cors: options.cors,
        trustProxy: options['trust-proxy'],
        experiments: options.experiments,
        limits: limitsOf(options),
      });
      io.stdout.write(`${server.url}\n`);
      await stopped(io.signal);
      await server.stop(1000 * options.drain);
    } finally {
      await close();
    }
  },
});

function limitsOf(options: Values) {
  return {
    bodyBytes: Math.round(options['max-body'] * megabyte),
    documents: options['max-documents'],
    values: options['max-values'],
    pairs: options['max-pairs'],
    requestTokens: options['max-request-tokens'],
    queueTokens: options['max-queue-tokens'],
    deadlineMs: 1000 * options.deadline,
  };
}

/** Resolves when the signal fires; until then the open port keeps the process alive. */
function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function readKeys(file: string | undefined): Promise<string[]> {
  const { BERT_QE_API_KEYS: inEnvironment = '' } = process.env;
  let inFile = '';
  if (file !== undefined) {
    inFile = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new BertQeError('missing', `${file}: cannot be read; it must hold an API key per line.`, {
        cause,
      });
    });
  }
  const keys = [...inFile.split('\n'), ...inEnvironment.split(',')].map((key) => key.trim()).filter(Boolean);
  if (file !== undefined && keys.length === 0) {
    // An empty file must not open the server to everybody.
    throw new BertQeError('input', `${file}: has no key in it; write one per line.`);
  }
  return keys;
}

function parseAlias(text: string): [string, string] {
  const [, name, model] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (name === undefined) throw usageError(`--alias ${text}: write NAME=MODEL, as in rerank-v3.5=SST.`);
  return [name, model];
}

/** The collection that is served, with its queries and judgements where there are any. */
interface ServedCollection {
  readonly collection?: Collection;
  readonly queries?: readonly Query[];
  readonly qrels?: Qrels;
  close(): Promise<void>;
}

async function openServed(options: Values, io: Io): Promise<ServedCollection> {
  if (options.demo) return openDemo(options, io);
  if (options.index === undefined) {
    const useless = (['queries', 'qrels'] as const).find((name) => options[name] !== undefined);
    if (useless) throw usageError(`--${useless} has no effect without --index DIR.`);
    return { close: async () => {} };
  }
  const queries = options.queries === undefined ? undefined : await readQueries(options.queries);
  const qrels = options.qrels === undefined ? undefined : await judgementsFrom(options.qrels, io);
  const index = Index.open(options.index);
  return {
    collection: collectionOf(index, options),
    ...(queries ? { queries } : {}),
    ...(qrels ? { qrels } : {}),
    close: () => index.close(),
  };
}

/** The demo collection, in an index that is removed when the server stops. */
async function openDemo(options: Values, io: Io): Promise<ServedCollection> {
  const useless = (['index', 'queries', 'qrels'] as const).find((name) => options[name] !== undefined);
  if (useless) throw usageError(`--${useless} has no effect with --demo, which brings its own.`);
  const work = await mkdtemp(join(tmpdir(), 'bert-qe-serve-'));
  const cleanUp = () => rm(work, { recursive: true, force: true });
  try {
    const analyzer = createAnalyzer({ base: 'terrier' });
    await buildIndex(readDocuments(demoFolder), { folder: work, analyzer, signal: io.signal });
    const index = Index.open(work);
    return {
      collection: collectionOf(index, options),
      queries: await readQueries(demoFolder),
      qrels: await readQrels(join(demoFolder, 'qrels.txt')),
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
  const searcher = new Searcher(index, retrievalModels(options));
  return {
    retriever: searcher,
    documents: index,
    firstStage: [searcher.model.name, searcher.feedback?.name].filter(Boolean).join('+'),
    statistics: index.statistics,
  };
}
