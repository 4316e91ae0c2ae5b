import type { AnalyzerSpec, CollectionStatistics } from '../../retrieval/index.js';
import { analysisSettings, serverAnalyzer } from './analysis-settings.js';

/** The parameters that Lucene's own similarities have in an index; they cannot be changed afterwards. */
export interface NativeSimilarities {
  readonly bm25?: { readonly k1: number; readonly b: number };
  readonly ql?: { readonly mu: number };
}

export interface DefinitionOptions {
  readonly analyzer: AnalyzerSpec;
  /** Fields with Lucene's own similarity, for `--length-norm lucene`: fast, each another copy of the postings. */
  readonly native: NativeSimilarities;
  readonly shards: number;
  readonly replicas: number;
}

/** How far the loading of an index is; kept in the index itself, so that any machine can go on. */
export interface LoadState {
  readonly state: 'loading' | 'complete';
  /** Documents from the beginning of the collection that the server has acknowledged. */
  readonly acknowledged: number;
  /** Id of the last of them: a collection in another order is noticed. */
  readonly lastId?: string;
}

/** What we keep in the `_meta` of an index's mapping. */
export interface EngineManifest {
  readonly format: 'bert-qe-engine-index';
  readonly version: 1;
  readonly analyzer: AnalyzerSpec;
  readonly native: NativeSimilarities;
  /** Copies of each shard that are wanted when the load is complete. */
  readonly replicas: number;
  readonly load: LoadState;
  /** When the load is complete. */
  readonly statistics?: EngineStatistics;
}

/** What weighting and feedback models draw on; the number of distinct terms is not known. */
export type EngineStatistics = Pick<
  CollectionStatistics,
  'documents' | 'nonEmptyDocuments' | 'tokens' | 'maxLength'
>;

/** Fields of a document in an index of ours. */
export const fields = {
  /** The document's id again, for the order of equal scores: `_id` cannot be sorted by. */
  id: 'id',
  title: 'title',
  text: 'text',
  /** Length in terms, exact; Lucene's own lengths have four significant bits. */
  length: 'length',
  /** Title and text as terms; its similarity is the bare term frequency. */
  content: 'content',
  /** Where the document stood in the collection, and a digest of it; not indexed. */
  origin: 'origin',
} as const;

export function nativeField(model: keyof NativeSimilarities): string {
  return `${fields.content}.${model}`;
}

/**
 * The body that creates an index. Scores are computed from raw term frequencies: the similarity of `content` gives
 * them, and scripts in the query (see scoring-query.ts) make DPH, BM25 or QL of them with any parameters, exact
 * lengths and statistics of the whole collection, however many shards there are.
 */
export function indexDefinition({ analyzer, native, shards, replicas }: DefinitionOptions): object {
  const { bm25, ql } = native;
  const term = { type: 'text', analyzer: serverAnalyzer, index_options: 'freqs' };
  const manifest: EngineManifest = {
    format: 'bert-qe-engine-index',
    version: 1,
    analyzer,
    native,
    replicas,
    load: { state: 'loading', acknowledged: 0 },
  };
  return {
    settings: {
      number_of_shards: shards,
      // Copies and refreshes come when the load is complete.
      number_of_replicas: 0,
      refresh_interval: '-1',
      analysis: analysisSettings(analyzer),
      similarity: {
        term_frequency: { type: 'scripted', script: { source: 'return doc.freq;' } },
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
          similarity: 'term_frequency',
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
