import { DEFAULT_MAX_LENGTH, deviceNames, precisionNames } from '../bert/index.js';
import { documentFormats } from '../collection/index.js';
import { chunkSources, DEFAULTS } from '../expansion/index.js';
import type { EngineName } from '../remote/index.js';
import type { OptionSpec, OptionSpecs } from './options.js';

/**
 * The options that several commands have, each declared once. A command takes what it needs with {@link pick}; where
 * its help or default is another, it spreads the option and overrides that.
 */
export const OPTIONS = {
  // The collection.
  index: { type: 'string', value: 'DIR', help: 'folder of the index that holds the documents' },
  query: { type: 'string', value: 'TEXT', help: 'one query' },
  queries: {
    type: 'string',
    value: 'FILE',
    help: 'queries: BEIR JSONL, TSV, TREC topics, or queries.json lines',
  },
  qrels: { type: 'string', value: 'FILE', help: 'relevance judgements: TREC, or BEIR (file or folder)' },
  run: {
    type: 'string',
    value: 'RUN',
    help: 'initial rankings as a TREC run; without it they are retrieved first',
  },
  format: {
    type: 'string',
    choices: ['auto', ...documentFormats],
    default: 'auto',
    help: 'format of the collection',
  },
  'id-field': { type: 'string', value: 'FIELD', help: 'JSONL, CSV, SQL: field or column of the id' },
  table: { type: 'string', value: 'TABLE', help: 'SQLite, Postgres: the table with a document per row' },
  sql: { type: 'string', value: 'QUERY', help: 'SQLite, Postgres: a query with a document per row' },
  // A search cluster.
  engine: {
    type: 'string',
    choices: ['opensearch', 'elasticsearch'] satisfies EngineName[],
    help: 'use an index on a search cluster; --index then is its name',
  },
  url: { type: 'string', value: 'URL', multiple: true, help: 'a node of the cluster, e.g. http://host:9200' },
  'text-field': {
    type: 'string',
    value: 'FIELD',
    help: 'cluster: the text field of an index not made by bert-qe (BM25 as the server has it)',
  },
  'title-field': { type: 'string', value: 'FIELD', help: 'cluster: the title field of such an index' },
  // Models.
  models: {
    type: 'string',
    value: 'LMT',
    default: DEFAULTS.models,
    help: 'a size letter per phase out of T, S, M, B, L; a single letter is MaxP, without expansion',
  },
  phase1: {
    type: 'string',
    value: 'MODEL',
    help: "phase one's model by letter, name or path, or tei+URL, cohere+URL, oip+URL of a server",
  },
  phase2: { type: 'string', value: 'MODEL', help: "phase two's model" },
  phase3: { type: 'string', value: 'MODEL', help: "phase three's model" },
  'best-passage': {
    type: 'string',
    value: 'MODEL',
    help: "model that chooses the best passages (phase one's)",
  },
  device: {
    type: 'string',
    choices: ['auto', ...deviceNames],
    default: 'auto',
    help: 'where the models run',
  },
  precision: {
    type: 'string',
    choices: ['auto', ...precisionNames],
    default: 'auto',
    help: 'numbers the models are run with; auto: the fastest that is as good, int8 of S on a CPU with VNNI, else fp32; fp16 on CUDA',
  },
  'max-length': {
    type: 'integer',
    min: 16,
    default: DEFAULT_MAX_LENGTH,
    help: 'tokens of a pair, special ones included',
  },
  // The method.
  alpha: {
    type: 'number',
    min: 0,
    max: 1,
    default: DEFAULTS.alpha,
    help: 'share of rel(C,d) against rel(q,d)',
  },
  beta: {
    type: 'number',
    min: 0,
    max: 1,
    default: DEFAULTS.beta,
    help: 'share of ln M against the initial score',
  },
  kd: { type: 'integer', min: 1, default: DEFAULTS.kd, help: 'feedback documents' },
  kc: { type: 'integer', min: 1, default: DEFAULTS.kc, help: 'chunks kept for phase three' },
  'chunk-words': { type: 'integer', min: 1, default: DEFAULTS.chunkWords, help: 'words of a chunk (m)' },
  'passage-words': { type: 'integer', min: 1, default: DEFAULTS.passageWords, help: 'words of a passage' },
  'title-words': {
    type: 'integer',
    min: 0,
    default: DEFAULTS.titleWords,
    help: 'words of the title before every passage',
  },
  'chunk-source': {
    type: 'string',
    choices: chunkSources,
    default: 'best-passage',
    help: 'where chunks come from',
  },
  'drop-query-score': { type: 'boolean', help: 'ablation: leave rel(q,d) out of the combination' },
  depth: {
    type: 'integer',
    min: 1,
    default: DEFAULTS.depth,
    help: 'documents that are re-ranked; the rest keep their order',
  },
  // The first stage.
  model: { type: 'string', choices: ['dph', 'bm25', 'ql'], default: 'dph', help: 'weighting model' },
  expand: { type: 'string', choices: ['none', 'kl', 'bo1', 'rm3'], default: 'none', help: 'feedback model' },
  k1: { type: 'number', min: 0, help: 'BM25: saturation of the term frequency (0.9)' },
  b: { type: 'number', min: 0, max: 1, help: 'BM25: length normalisation (0.4)' },
  mu: { type: 'number', min: 1e-9, help: 'QL: Dirichlet prior (1000)' },
  'length-norm': {
    type: 'string',
    choices: ['exact', 'lucene'],
    help: 'BM25 and QL: lengths as they are, or rounded as Lucene stores them (exact)',
  },
  'feedback-documents': {
    type: 'integer',
    min: 1,
    help: 'feedback: documents taken as relevant (KL, Bo1 3; RM3 10)',
  },
  'feedback-terms': { type: 'integer', min: 1, help: 'feedback: terms taken from them (10)' },
  'rocchio-beta': {
    type: 'number',
    min: 0,
    help: "KL, Bo1: Rocchio's β instead of the parameter-free weights",
  },
  'original-weight': { type: 'number', min: 0, max: 1, help: 'RM3: weight of the original query (0.5)' },
  // Outputs.
  tag: { type: 'string', value: 'NAME', help: "name of the run, its last column (the models' name)" },
  json: { type: 'boolean', help: 'write JSON instead of a table' },
} as const satisfies OptionSpecs;

type Table = typeof OPTIONS;

/** Some options of the table. */
export function pick<const N extends keyof Table>(...names: readonly N[]): Pick<Table, N> {
  return Object.fromEntries(names.map((name) => [name, OPTIONS[name]])) as unknown as Pick<Table, N>;
}

/** An option without its default: undefined where it is not given. */
export function withoutDefault<const S extends OptionSpec>(spec: S, help: string): Omit<S, 'default'> {
  const { default: _, ...others } = spec;
  return { ...others, help };
}

/** Options of the queries of a run. */
export const queryOptions = {
  ...pick('query', 'queries'),
  qrels: {
    ...OPTIONS.qrels,
    help: 'only the queries that these judgements judge: TREC, or BEIR (file or folder)',
  },
} as const;

export const clusterOptions = pick('engine', 'url', 'text-field', 'title-field');

/** Options of reading the user's own documents. */
export const documentOptions = {
  ...pick('format', 'id-field'),
  'title-field': { ...OPTIONS['title-field'], help: 'JSONL, CSV, SQL: field or column of the title' },
  'text-field': {
    ...OPTIONS['text-field'],
    help: 'JSONL, CSV, SQL: field or column of the text; a,b joins several, a.b is b inside a',
  },
  ...pick('table', 'sql'),
} as const;

export const methodOptions = pick(
  'alpha',
  'beta',
  'kd',
  'kc',
  'chunk-words',
  'passage-words',
  'title-words',
  'chunk-source',
  'drop-query-score',
  'depth',
);

export const modelOptions = pick(
  'models',
  'phase1',
  'phase2',
  'phase3',
  'best-passage',
  'device',
  'precision',
);

export const retrievalOptions = pick(
  'model',
  'expand',
  'k1',
  'b',
  'mu',
  'length-norm',
  'feedback-documents',
  'feedback-terms',
  'rocchio-beta',
  'original-weight',
);

/** The first stage of `rerank` and `serve`: DPH with KL expansion unless another one is asked for. */
export const firstStageOptions = {
  ...retrievalOptions,
  expand: { ...retrievalOptions.expand, default: 'kl' },
} as const;
