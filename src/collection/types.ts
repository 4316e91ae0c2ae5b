/** A document of a collection. */
export interface Document {
  readonly id: string;
  /** Absent where the collection has no titles; an empty title counts as none. */
  readonly title?: string;
  readonly text: string;
}

/** A query of a collection. */
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

/** The options of a search. */
export interface SearchOptions {
  /** The largest number of documents to return (1000). */
  readonly depth?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Anything that returns documents by id; unknown ids are absent from the answer. */
export interface DocumentStore {
  get(ids: readonly string[], options?: { signal?: AbortSignal | undefined }): Promise<Map<string, Document>>;
}

/** The file and line that something was read from, for messages about bad input. */
export interface Origin {
  readonly file: string;
  /** 1-based; absent where a format has no lines. */
  readonly line?: number;
}
