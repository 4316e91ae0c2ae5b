import { DEFAULT_MAX_LENGTH, deviceNames, precisionNames } from '../bert/index.js';
import { documentFormats } from '../collection/index.js';
import { chunkSources, DEFAULTS, passageChoices } from '../expansion/index.js';
import type { EngineName } from '../remote/index.js';
import { choice, flag, integer, number, type OptionSpec, text } from './options.js';

/** Options of the queries of a run. */
export const queryOptions = {
  query: text('TEXT', 'one query'),
  queries: text('FILE', 'queries: BEIR JSONL, TSV, TREC topics, or queries.json lines'),
  qrels: text('FILE', 'only the queries that these judgements judge: TREC, or BEIR (file or folder)'),
} as const;

export const engines = ['opensearch', 'elasticsearch'] as const satisfies EngineName[];

/** Options of an index on a search cluster. */
export const clusterOptions = {
  engine: choice(engines, 'use an index on a search cluster; --index then is its name'),
  url: text('URL', 'a node of the cluster, e.g. http://host:9200', { multiple: true }),
  'text-field': text(
    'FIELD',
    'cluster: the text field of an index not made by bert-qe (BM25 as the server has it)',
  ),
  'title-field': text('FIELD', 'cluster: the title field of such an index'),
} as const;

/** Options of reading the user's own documents. */
export const documentOptions = {
  format: choice(['auto', ...documentFormats], 'format of the collection', { default: 'auto' }),
  'id-field': text('FIELD', 'JSONL, CSV, SQL: field or column of the id'),
  'title-field': text('FIELD', 'JSONL, CSV, SQL: field or column of the title'),
  'text-field': text(
    'FIELD',
    'JSONL, CSV, SQL: field or column of the text; a,b joins several, a.b is b inside a',
  ),
  table: text('TABLE', 'SQLite, Postgres: the table with a document per row'),
  sql: text('QUERY', 'SQLite, Postgres: a query with a document per row'),
} as const;

/** Options that choose the models of the phases. */
export const modelOptions = {
  models: text(
    'LMT',
    'a size letter per phase out of T, S, M, B, L; a single letter is MaxP, without expansion',
    { default: DEFAULTS.models },
  ),
  phase1: text(
    'MODEL',
    "phase one's model by letter, name or path, or tei+URL, cohere+URL, oip+URL of a server",
  ),
  phase2: text('MODEL', "phase two's model"),
  phase3: text('MODEL', "phase three's model"),
  'best-passage': text(
    'MODEL',
    "model that chooses the best passages (the smallest; phase one's with --passage-choice exhaustive)",
  ),
  device: choice(['auto', ...deviceNames], 'where the models run', { default: 'auto' }),
  precision: choice(
    ['auto', ...precisionNames],
    'numbers the models are run with; auto: the fastest that is as good, int8 of S on a CPU with VNNI, else fp32; fp16 on CUDA',
    { default: 'auto' },
  ),
} as const;

/** Options of the method. */
export const methodOptions = {
  alpha: number('share of rel(C,d) against rel(q,d)', { min: 0, max: 1, default: DEFAULTS.alpha }),
  beta: number('share of ln M against the initial score', { min: 0, max: 1, default: DEFAULTS.beta }),
  kd: integer('feedback documents', { min: 1, default: DEFAULTS.kd }),
  kc: integer('chunks kept for phase three', { min: 1, default: DEFAULTS.kc }),
  'chunk-words': integer('words of a chunk (m)', { min: 1, default: DEFAULTS.chunkWords }),
  'passage-words': integer('words of a passage', { min: 1, default: DEFAULTS.passageWords }),
  'title-words': integer('words of the title before every passage', { min: 0, default: DEFAULTS.titleWords }),
  'passage-choice': choice(
    passageChoices,
    'best passages: by words, the smallest model and then phase one, or all scored by phase one, as in the paper',
    { default: DEFAULTS.passageChoice },
  ),
  'expansion-depth': integer(
    'documents that phase three reads, the others follow them (of --top-k twice as many, at least 20; else all, as in the paper)',
    { min: 1 },
  ),
  'chunk-source': choice(chunkSources, 'where chunks come from', { default: 'best-passage' }),
  'drop-query-score': flag('ablation: leave rel(q,d) out of the combination'),
  depth: integer('documents that are re-ranked; the rest keep their order', {
    min: 1,
    default: DEFAULTS.depth,
  }),
} as const;

const feedback = ['kl', 'bo1', 'rm3'] as const;

/** Options of the weighting and feedback models. */
export const retrievalOptions = {
  model: choice(['dph', 'bm25', 'ql'], 'weighting model', { default: 'dph' }),
  expand: choice(['none', 'kl', 'bo1', 'rm3'], 'feedback model', { default: 'none' }),
  k1: number('BM25: saturation of the term frequency (0.9)', { of: ['bm25'], min: 0 }),
  b: number('BM25: length normalisation (0.4)', { of: ['bm25'], min: 0, max: 1 }),
  mu: number('QL: Dirichlet prior (1000)', { of: ['ql'], min: 1e-9 }),
  'length-norm': choice(
    ['exact', 'lucene'],
    'BM25 and QL: lengths as they are, or rounded as Lucene stores them (exact)',
    { of: ['bm25', 'ql'] },
  ),
  'feedback-documents': integer('feedback: documents taken as relevant (KL, Bo1 3; RM3 10)', {
    of: feedback,
    min: 1,
  }),
  'feedback-terms': integer('feedback: terms taken from them (10)', { of: feedback, min: 1 }),
  'rocchio-beta': number("KL, Bo1: Rocchio's β instead of the parameter-free weights", {
    of: ['kl', 'bo1'],
    min: 0,
  }),
  'original-weight': number('RM3: weight of the original query (0.5)', { of: ['rm3'], min: 0, max: 1 }),
} as const;

/** The first stage of `rerank` and `serve`: DPH with KL expansion unless another one is asked for. */
export const firstStageOptions = {
  ...retrievalOptions,
  expand: { ...retrievalOptions.expand, default: 'kl' },
} as const;

/** The options that several commands have. Where help or default is another, a command spreads one and overrides that. */
export const OPTIONS = {
  ...modelOptions,
  ...methodOptions,
  index: text('DIR', 'folder of the index that holds the documents'),
  queries: queryOptions.queries,
  qrels: text('FILE', 'relevance judgements: TREC, or BEIR (file or folder)'),
  run: text('RUN', 'initial rankings as a TREC run; without it they are retrieved first'),
  'max-length': integer('tokens of a pair, special ones included', { min: 16, default: DEFAULT_MAX_LENGTH }),
  tag: text('NAME', "name of the run, its last column (the models' name)"),
  json: flag('write JSON instead of a table'),
} as const;

/** An option without its default: undefined where it is not given. */
export function withoutDefault<const S extends OptionSpec>(spec: S, help: string): Omit<S, 'default'> {
  const { default: _, ...others } = spec;
  return { ...others, help };
}
