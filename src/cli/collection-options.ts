import { readQrels, readQueries, type Query, type ReadDocumentsOptions } from '../collection/index.js';
import { inputError, usageError } from '../common/errors.js';
import { omitUndefined } from '../common/omit-undefined.js';
import type { CollectionAddress } from '../remote/index.js';
import {
  Bm25,
  Bo1,
  DivergenceFeedback,
  Dph,
  KL,
  QueryLikelihood,
  Rm3,
  type FeedbackModel,
  type SearcherOptions,
  type WeightingModel,
} from '../retrieval/index.js';
import { guessReporter, type Io, type PositionalSpec } from './command.js';
import {
  clusterOptions,
  engines,
  retrievalOptions,
  type documentOptions,
  type queryOptions,
} from './option-table.js';
import { pick, refuseUseless, type OptionSpec, type OptionValues } from './options.js';

/** Reads the queries of `--query` or `--queries`, exactly one of which must be given; with `--qrels`, those it judges. */
export async function queriesFrom(options: OptionValues<typeof queryOptions>, io: Io): Promise<Query[]> {
  const { query: text, queries: file, qrels } = options;
  if ((text === undefined) === (file === undefined)) {
    throw usageError('Give the words of a query (or --query TEXT), or --queries FILE.');
  }
  if (file !== undefined) {
    const queries = await readQueries(file);
    return qrels === undefined ? queries : judgedQueries(queries, qrels, io);
  }
  if (qrels !== undefined) throw usageError('--qrels has no effect without --queries.');
  if (text!.trim() === '') throw usageError('--query is empty; give it some words.');
  return [{ id: '1', text: text! }];
}

async function judgedQueries(queries: readonly Query[], file: string, io: Io): Promise<Query[]> {
  const qrels = await readQrels(file, { onGuess: guessReporter(io) });
  const judged = queries.filter(({ id }) => qrels.has(id));
  if (judged.length > 0) return judged;
  throw inputError(
    `${file} judges none of the queries; give the judgements that belong to --queries, or leave --qrels out.`,
  );
}

/** The argument of a command that takes the words of a query. */
export const queryWords: PositionalSpec = {
  name: 'WORDS',
  help: 'the words of one query, instead of --query',
  optional: true,
  multiple: true,
};

/** The options of a command that takes the words of a query as arguments too. */
export function withWords<V extends { query?: string | undefined; queries?: string | undefined }>(
  options: V,
  words: readonly string[],
): V {
  if (words.length === 0) return options;
  if (options.query !== undefined || options.queries !== undefined) {
    throw usageError(
      `The query is given twice: "${words.join(' ')}" and ${options.query === undefined ? '--queries' : '--query'}; leave one out.`,
    );
  }
  return { ...options, query: words.join(' ') };
}

/** The options of reading that a command was given. A guess about the documents is reported on standard error. */
export function documentReading(
  values: OptionValues<typeof documentOptions>,
  io: Io,
): Pick<ReadDocumentsOptions, 'format' | 'fields' | 'table' | 'sql' | 'onGuess'> {
  const text = values.textField?.split(',').map((name) => name.trim());
  return {
    format: values.format,
    fields: omitUndefined({ id: values.idField, title: values.titleField, text }),
    table: values.table,
    sql: values.sql,
    onGuess: guessReporter(io),
  };
}

type ClusterValues = OptionValues<typeof clusterOptions>;

/** The index that `--index` names: a folder or, with `--engine`, an index on a cluster. */
export function collectionAddress(index: string, values: ClusterValues): CollectionAddress {
  const cluster = clusterFrom(values);
  if (!cluster) {
    refuseUseless(pick(clusterOptions, 'text-field', 'title-field'), values, withoutEngine);
    return { index };
  }
  const { textField: text, titleField: title } = values;
  if (text !== undefined)
    return { index, cluster: { ...cluster, foreign: { text, ...omitUndefined({ title }) } } };
  refuseUseless(pick(clusterOptions, 'title-field'), values, 'without --text-field.');
  return { index, cluster };
}

const withoutEngine = `without --engine ${engines.join(' or ')}.`;

/** The cluster that `--engine` and `--url` name; undefined without `--engine`. */
export function clusterFrom(values: Pick<ClusterValues, 'engine' | 'url'>): CollectionAddress['cluster'] {
  const { engine, url } = values;
  if (engine === undefined) {
    refuseUseless(pick(clusterOptions, 'url'), values, withoutEngine);
    return undefined;
  }
  if (url.length > 0) return { engine, urls: url };
  throw usageError(`--engine ${engine} needs --url, e.g. --url http://localhost:9200.`);
}

type RetrievalValues = OptionValues<typeof retrievalOptions>;

/** The weighting and feedback models that the options name. */
export function retrievalModels(values: RetrievalValues): SearcherOptions {
  const chosen = new Set<string>([values.model, values.expand]);
  for (const [name, spec] of Object.entries<OptionSpec>(retrievalOptions)) {
    const { of: models } = spec;
    if (models === undefined || models.some((model) => chosen.has(model))) continue;
    refuseUseless({ [name]: spec }, values, `here; it belongs to ${models.join(', ')}.`);
  }
  const feedback = feedbackModel(values);
  return { model: weightingModel(values), ...(feedback ? { feedback } : {}) };
}

function weightingModel(values: RetrievalValues): WeightingModel {
  const { model, k1, b, mu, lengthNorm } = values;
  if (model === 'bm25') return new Bm25(omitUndefined({ k1, b, lengthNorm }));
  if (model === 'ql') return new QueryLikelihood(omitUndefined({ mu, lengthNorm }));
  return new Dph();
}

function feedbackModel(values: RetrievalValues): FeedbackModel | undefined {
  const shared = { documents: values.feedbackDocuments, terms: values.feedbackTerms };
  const divergence = omitUndefined({ ...shared, rocchioBeta: values.rocchioBeta });
  switch (values.expand) {
    case 'none':
      return undefined;
    case 'kl':
      return new DivergenceFeedback(KL, divergence);
    case 'bo1':
      return new DivergenceFeedback(Bo1, divergence);
    case 'rm3':
      return new Rm3(omitUndefined({ ...shared, originalWeight: values.originalWeight }));
  }
}
