import type { AnalyzerSpec, CollectionStatistics } from '../../retrieval/index.js';
import { analysisSettings, serverAnalyzer } from './analysis-settings.js';

/** The parameters of Lucene's own similarities in an index; they cannot be changed later. */
export interface NativeSimilarities {
  readonly bm25?: { readonly k1: number; readonly b: number };
  readonly ql?: { readonly mu: number };
}

/** Lucene's own similarities with their usual parameters. */
export const usualSimilarities = {
  bm25: { k1: 0.9, b: 0.4 },
  ql: { mu: 1000 },
} as const satisfies NativeSimilarities;

/** The options of {@link indexDefinition}. */
export interface DefinitionOptions {
  readonly analyzer: AnalyzerSpec;
  /** Fields with Lucene's own similarities (`--length-norm lucene`): fast, but each copies the postings. */
  readonly native: NativeSimilarities;
  /** False for a server that runs no scripts; only Lucene's own similarities are then in the index. */
  readonly scripts: boolean;
  readonly shards: number;
  readonly replicas: number;
}

/** The progress of a load. It is kept in the index itself, so that any machine can continue. */
export interface LoadState {
  readonly state: 'loading' | 'complete';
  /** Documents from the beginning of the collection that the server has acknowledged. */
  readonly acknowledged: number;
  /** Id of the last of them, by which a collection in another order is detected. */
  readonly lastId?: string;
}

/** The manifest in the `_meta` of an index's mapping. */
export interface EngineManifest {
  readonly format: 'bert-qe-engine-index';
  readonly version: 1;
  readonly analyzer: AnalyzerSpec;
  readonly native: NativeSimilarities;
  /** False in an index without scripts; absent in others. */
  readonly scripts?: false;
  /** Copies of each shard that are wanted when the load is complete. */
  readonly replicas: number;
  readonly load: LoadState;
  /** Present when the load is complete. */
  readonly statistics?: EngineStatistics;
}

/** The statistics of a collection on a cluster; the number of distinct terms is not known. */
export type EngineStatistics = Pick<
  CollectionStatistics,
  'documents' | 'nonEmptyDocuments' | 'tokens' | 'maxLength'
>;

/** Names of a document's fields in an index that bert-qe makes. */
export const fields = {
  /** A copy of `_id`, which cannot be sorted by, for the order of equal scores. */
  id: 'id',
  title: 'title',
  text: 'text',
  /** Length in terms, exact; Lucene's own lengths have four significant bits. */
  length: 'length',
  /** Title and text as terms; its similarity is the bare term frequency where the server runs scripts. */
  content: 'content',
  /** The document's number in the collection and a hash of it; not indexed. */
  origin: 'origin',
} as const;

/** Name of the field with one of Lucene's own similarities. */
export function nativeField(model: keyof NativeSimilarities): string {
  return `${fields.content}.${model}`;
}

/**
 * The body of the request that creates an index. The similarity of `content` is the raw term frequency. Scripts in the
 * query (scoring-query.ts) compute DPH, BM25 or QL from it, with any parameters, exact lengths and the statistics of
 * the whole collection, however many shards there are. Without scripts, `content` only holds the terms for statistics and
 * feedback, and the fields with Lucene's own similarities are searched.
 */
export function indexDefinition(options: DefinitionOptions): object {
  const { analyzer, native, scripts, shards, replicas } = options;
  const { bm25, ql } = native;
  const term = { type: 'text', analyzer: serverAnalyzer, index_options: 'freqs' };
  const manifest: EngineManifest = {
    format: 'bert-qe-engine-index',
    version: 1,
    analyzer,
    native,
    ...(scripts ? {} : { scripts }),
    replicas,
    load: { state: 'loading', acknowledged: 0 },
  };
  return {
    settings: {
      number_of_shards: shards,
      // Replicas and refreshes are switched on when the load is complete.
      number_of_replicas: 0,
      refresh_interval: '-1',
      analysis: analysisSettings(analyzer, { scripts }),
      similarity: {
        ...(scripts ? { term_frequency: { type: 'scripted', script: { source: 'return doc.freq;' } } } : {}),
        ...(bm25 ? { bm25: { type: 'BM25', k1: bm25.k1, b: bm25.b } } : {}),
        ...(ql ? { ql: { type: 'LMDirichlet', mu: ql.mu } } : {}),
      },
    },
    mappings: {
      dynamic: 'strict',
      _meta: { bert_qe: manifest },
      properties: {
        [fields.id]: { type: 'keyword', index: false },
        [fields.title]: { type: 'text', index: false, copy_to: fields.content },
        [fields.text]: { type: 'text', index: false, copy_to: fields.content },
        [fields.length]: { type: 'integer' },
        [fields.origin]: { type: 'object', enabled: false },
        [fields.content]: {
          ...term,
          similarity: scripts ? 'term_frequency' : 'boolean',
          norms: false,
          term_vector: 'yes',
          fields: {
            ...(bm25 ? { bm25: { ...term, similarity: 'bm25' } } : {}),
            ...(ql ? { ql: { ...term, similarity: 'ql' } } : {}),
          },
        },
      },
    },
  };
}
