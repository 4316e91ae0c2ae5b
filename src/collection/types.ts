/** A document of a collection. */
export interface Document {
  readonly id: string;
  /** Absent where the collection has no titles; an empty title is as good as none. */
  readonly title?: string;
  readonly text: string;
}

/** A search request. */
export interface Query {
  readonly id: string;
  readonly text: string;
}

/** One place of a ranking. */
export interface ScoredDocument {
  readonly id: string;
  readonly score: number;
}

/** Documents with scores, best first. */
export type Ranking = readonly ScoredDocument[];

/** Query id → ranking. */
export type Run = ReadonlyMap<string, Ranking>;

/** Query id → document id → relevance level. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Anything that can produce an initial ranking. */
export interface Retriever {
  search(query: Query, options?: SearchOptions): Promise<Ranking>;
}

/** What is wanted of one search. */
export interface SearchOptions {
  /** How many documents to return at most (1000). */
  readonly depth?: number;
  readonly signal?: AbortSignal;
}

/** Anything that can give back documents by id; ids it does not hold are absent from the answer. */
export interface DocumentStore {
  get(ids: readonly string[], options?: { signal?: AbortSignal }): Promise<Map<string, Document>>;
}

/** Where something was read: shown in every message about bad input. */
export interface Origin {
  readonly file: string;
  /** 1-based; absent where a format has no lines. */
  readonly line?: number;
}
