import {
  rankingsOf,
  type Document,
  type DocumentStore,
  type Query,
  type Ranking,
  type RunSource,
} from '../collection/index.js';
import { missingError, throwIfAborted } from '../common/errors.js';
import type {
  BertQE,
  BirchReranking,
  BirchRerankOptions,
  InputDocument,
  Reranking,
  RerankOptions,
} from '../expansion/index.js';

/** A query of a run re-ranked by some method. */
export type RerankedBy<Result> = Result & {
  readonly query: Query;
  /** The results as a ranking that {@link writeRun} takes. */
  readonly ranking: Ranking;
};

/** A query of a run re-ranked by BERT-QE. */
export type RerankedQuery = RerankedBy<Reranking>;

/** A query of a run re-ranked by Birch. */
export type BirchRerankedQuery = RerankedBy<BirchReranking>;

/** A method that re-ranks the documents of a query: {@link BertQE}, {@link Birch} or a trained control. */
export interface QueryReranker<Result extends QueryResult = QueryResult> {
  readonly settings: { readonly depth: number };
  rerank(query: string, documents: readonly InputDocument[], options?: RunQueryOptions): Promise<Result>;
}

/** The result of a query by any method. */
export interface QueryResult extends Pick<Reranking, 'cost'> {
  readonly results: readonly { readonly id: string; readonly score: number }[];
  readonly explanation?: QueryExplanation;
}

/** The common part of the explanations of all methods. */
export interface QueryExplanation {
  readonly query: string;
  readonly id: string;
  readonly documents: readonly { readonly id: string }[];
}

/** Options that all methods have; Birch has no others. */
export type RunQueryOptions = BirchRerankOptions;

/**
 * Re-ranks the queries of a run one after the other. One query is in memory at a time, so a run may be of any length.
 */
export function rerankRun(
  reranker: BertQE,
  queries: Iterable<Query>,
  run: RunSource,
  store: DocumentStore,
  options?: Omit<RerankOptions, 'queryId'>,
): AsyncGenerator<RerankedQuery>;
export function rerankRun<Result extends QueryResult>(
  reranker: QueryReranker<Result>,
  queries: Iterable<Query>,
  run: RunSource,
  store: DocumentStore,
  options?: Omit<RunQueryOptions, 'queryId'>,
): AsyncGenerator<RerankedBy<Result>>;
export async function* rerankRun(
  reranker: BertQE | QueryReranker,
  queries: Iterable<Query>,
  run: RunSource,
  store: DocumentStore,
  options: Omit<RerankOptions, 'queryId'> = {},
): AsyncGenerator<RerankedBy<QueryResult>> {
  const byId = new Map(Array.from(queries, (query) => [query.id, query]));
  for await (const { query: id, ranking } of rankingsOf(run)) {
    throwIfAborted(options.signal);
    const query = byId.get(id);
    if (!query) throw missingError(`The run has query "${id}", but there is no such query.`);
    yield await rerankQuery(reranker, query, ranking, store, options);
  }
}

/** Re-ranks one ranking of a run. */
export async function rerankQuery(
  reranker: BertQE | QueryReranker,
  query: Query,
  ranking: Ranking,
  store: DocumentStore,
  options: Omit<RerankOptions, 'queryId'>,
): Promise<RerankedBy<QueryResult>> {
  const { depth } = reranker.settings;
  const best = [...ranking].sort((a, b) => b.score - a.score);
  const documents = [
    ...(await withTexts(query, best.slice(0, depth), store)),
    // Documents below the depth keep their order, whatever their texts are.
    ...best.slice(depth).map(({ id, score }) => ({ id, text: '', score })),
  ];
  const reranking = await reranker.rerank(query.text, documents, { ...options, queryId: query.id });
  return { ...reranking, query, ranking: reranking.results.map(({ id, score }) => ({ id, score })) };
}

/** Fetches the documents of a ranking, as {@link BertQE.rerank} takes them; throws where the store lacks one. */
export async function withTexts(
  query: Query,
  ranking: Ranking,
  store: DocumentStore,
): Promise<InputDocument[]> {
  const ids = ranking.map(({ id }) => id);
  const documents = await documentsOf(query, ids, store);
  return documents.map((document, i) => ({ ...document, score: ranking[i].score }));
}

/** Fetches the documents that are ranked for a query, in the order of the ids; throws where the store lacks one. */
export async function documentsOf(
  query: Query,
  ids: readonly string[],
  store: DocumentStore,
): Promise<Document[]> {
  const found = await store.get(ids);
  return ids.map((id) => {
    const document = found.get(id);
    if (document) return document;
    throw missingError(
      `Document "${id}", ranked for query "${query.id}", is not in the collection; use the index or documents that ` +
        'the run was made with.',
    );
  });
}
