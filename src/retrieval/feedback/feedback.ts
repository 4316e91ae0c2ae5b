import type { CollectionStatistics } from '../index/statistics.js';
import type { ForwardVector, TermFacts } from '../index/reader.js';
import type { WeightedQuery } from '../query.js';

/** A document of the first ranking that is assumed to be relevant. */
export interface FeedbackDocument {
  readonly document: number;
  readonly score: number;
}

/** The source of a feedback model's statistics: an {@link Index} or a search engine. */
export interface FeedbackSource {
  readonly statistics: Pick<CollectionStatistics, 'documents' | 'nonEmptyDocuments' | 'tokens'>;
  /** Lengths in terms, by document number. */
  readonly lengths: ArrayLike<number>;
  vector(document: number): ForwardVector;
  term(name: string): { readonly number: number } | undefined;
  termFacts(number: number): TermFacts;
}

/** Pseudo-relevance feedback, which expands a query by the top documents of a first ranking. */
export interface FeedbackModel {
  readonly name: string;
  /** The number of feedback documents. */
  readonly documents: number;
  expand(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: FeedbackSource): WeightedQuery;
}
