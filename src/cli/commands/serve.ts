import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { readQrels, readQueries } from '../../collection/index.js';
import { inputError, missingError, usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { openAll } from '../../common/open-all.js';
import { Index } from '../../retrieval/index.js';
import { folderCollection } from '../../remote/index.js';
import {
  defaultLimits,
  RerankServer,
  ServerLog,
  type Collection,
  type ServerOptions,
} from '../../server/index.js';
import { retrievalModels } from '../collection-options.js';
import { defineCommand, guessReporter, type Io } from '../command.js';
import { openDemo } from '../demo-collection.js';
import { firstStageOptions, OPTIONS } from '../option-table.js';
import {
  choice,
  flag,
  integer,
  number,
  pick,
  refuseUseless,
  text,
  valuesOf,
  type OptionValues,
} from '../options.js';
import { packageVersion } from '../../common/package-files.js';

/** The models that are served where none are named: useful combinations of those that come with the package. */
const shipped = ['SST', 'SSS', 'STT', 'TTT', 'S', 'T'];

const megabyte = 1024 * 1024;

const specs = {
  index: { ...OPTIONS.index, help: 'folder of the index to search (made with bert-qe index)' },
  demo: flag('serve the small collection that comes with the package, with its judgements'),
  queries: { ...OPTIONS.queries, help: 'queries that the page offers' },
  qrels: { ...OPTIONS.qrels, help: 'judgements of those queries: relevant documents are marked' },
  ...firstStageOptions,
  models: text(
    'LMT',
    `models that requests may name, the first is the default: letters, a model, or phase1+phase2+phase3 (${shipped.join(', ')})`,
    { multiple: true },
  ),
  alias: text('NAME=MODEL', "a further name for a model; '*=MODEL' serves every unknown name with it", {
    multiple: true,
  }),
  'strict-models': flag('refuse unknown names of models (404) instead of serving them with the default'),
  ...pick(OPTIONS, 'device', 'precision'),
  alpha: { ...OPTIONS.alpha, help: 'share of rel(C,d), where a request sets none' },
  beta: { ...OPTIONS.beta, help: 'share of ln M, where a request sets none' },
  depth: { ...OPTIONS.depth, max: 10_000, default: 100, help: 'documents that a search re-ranks' },
  host: text('ADDRESS', 'where to listen; 0.0.0.0 is everywhere', { default: '127.0.0.1' }),
  port: integer('0 takes a free one', { min: 0, max: 65_535, default: 8080 }),
  'api-keys': text(
    'FILE',
    'a key per line: only who has one may ask (also: BERT_QE_API_KEYS, separated by commas)',
  ),
  cors: text('ORIGIN', 'pages of this origin may ask; * is any', { multiple: true }),
  'trust-proxy': flag("take the client's address from X-Forwarded-For"),
  'max-body': number('largest body, in MB', { min: 0.001, default: defaultLimits.bodyBytes / megabyte }),
  'max-documents': integer('most documents of one request', { min: 1, default: defaultLimits.documents }),
  'max-values': integer('most JSON values (texts, numbers, objects, lists) in a body', {
    min: 1,
    default: defaultLimits.values,
  }),
  'max-pairs': integer('most pairs that one request makes the models score', {
    min: 1,
    default: defaultLimits.pairs,
  }),
  'max-request-tokens': integer('most work of one request, in tokens', {
    min: 1,
    default: defaultLimits.requestTokens,
  }),
  'max-queue-tokens': integer('most work that may wait; beyond it clients are sent away (429)', {
    min: 1,
    default: defaultLimits.queueTokens,
  }),
  deadline: number('seconds that a request may take', { min: 0.001, default: 30 }),
  drain: number('seconds to finish admitted requests when told to stop', { min: 0, default: 30 }),
  experiments: text('DIR', 'folder of the results of bert-qe experiment, for the page', {
    default: 'results',
  }),
  'log-level': choice(
    ['silent', 'error', 'info', 'debug'],
    'what is logged to stderr, as JSON lines; never texts',
    { default: 'info' },
  ),
} as const;

type Values = OptionValues<typeof specs>;

/** The options that the server has under the same names. */
const serverOptions = {
  ...pick(specs, 'strict-models', 'device', 'precision', 'depth'),
  ...pick(specs, 'host', 'port', 'cors', 'trust-proxy', 'experiments'),
};

export const serveCommand = defineCommand({
  name: 'serve',
  summary:
    'Serve re-ranking (Cohere, Jina, Voyage, TEI), search in three phases, and a page that shows them.',
  options: specs,
  examples: [
    'bert-qe serve --demo',
    'bert-qe serve --index scifact.index --queries queries.jsonl --qrels qrels.txt --port 9000',
    'bert-qe serve --models S --host 0.0.0.0 --api-keys keys.txt --alias rerank-v3.5=S --strict-models',
  ],
  async run({ options, io }) {
    const keys = await readKeys(options.apiKeys);
    const aliases = new Map(options.alias.map(parseAlias));
    const { close, ...served } = await openServed(options, io);
    try {
      const server = await RerankServer.start({
        ...served,
        ...valuesOf(serverOptions, options),
        version: packageVersion(),
        log: new ServerLog(options.logLevel, io.stderr),
        models: options.models.length > 0 ? options.models : shipped,
        aliases,
        method: { alpha: options.alpha, beta: options.beta },
        keys,
        limits: {
          bodyBytes: Math.round(options.maxBody * megabyte),
          documents: options.maxDocuments,
          values: options.maxValues,
          pairs: options.maxPairs,
          requestTokens: options.maxRequestTokens,
          queueTokens: options.maxQueueTokens,
          deadlineMs: 1000 * options.deadline,
        },
      });
      io.stdout.write(`${server.url}\n`);
      // Until the signal fires, the open port keeps the process alive.
      if (!io.signal.aborted) await once(io.signal, 'abort');
      await server.stop(1000 * options.drain);
    } finally {
      await close();
    }
  },
});

async function readKeys(file: string | undefined): Promise<string[]> {
  const { BERT_QE_API_KEYS: inEnvironment = '' } = process.env;
  let inFile = '';
  if (file !== undefined) {
    inFile = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw missingError(`${file}: cannot be read; it must hold an API key per line.`, cause);
    });
  }
  const keys = [...inFile.split('\n'), ...inEnvironment.split(',')].map((key) => key.trim()).filter(Boolean);
  if (file !== undefined && keys.length === 0) {
    // An empty file must not open the server to everybody.
    throw inputError(`${file}: has no key in it; write one per line.`);
  }
  return keys;
}

function parseAlias(text: string): [string, string] {
  const [, name, model] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (name === undefined) throw usageError(`--alias ${text}: write NAME=MODEL, as in rerank-v3.5=SST.`);
  return [name, model];
}

/** The collection that is served, with its queries and judgements where there are any. */
function openServed(options: Values, io: Io) {
  return openAll<Pick<ServerOptions, 'collection' | 'queries' | 'qrels'>>(async (closeLater) => {
    if (options.demo) {
      refuseUseless(pick(specs, 'index', 'queries', 'qrels'), options, 'with --demo, which brings its own.');
      const { index, close, ...judged } = await openDemo(io.signal);
      closeLater(close);
      return { collection: collectionOf(index, options), ...judged };
    }
    if (options.index === undefined) {
      refuseUseless(pick(specs, 'queries', 'qrels'), options, 'without --index DIR.');
      return {};
    }
    const queries = options.queries === undefined ? undefined : await readQueries(options.queries);
    const qrels =
      options.qrels === undefined
        ? undefined
        : await readQrels(options.qrels, { onGuess: guessReporter(io) });
    const index = Index.open(options.index);
    closeLater(() => index.close());
    return { collection: collectionOf(index, options), ...omitUndefined({ queries, qrels }) };
  });
}

function collectionOf(index: Index, options: Values): Collection {
  const retriever = folderCollection(index, 'the index').retriever(retrievalModels(options));
  return { retriever, documents: index, firstStage: retriever.name, statistics: index.statistics };
}
