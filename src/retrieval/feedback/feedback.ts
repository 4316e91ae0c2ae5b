import type { CollectionStatistics, ForwardVector, TermFacts } from '../index/index.js';
import type { WeightedQuery } from '../query.js';

/** A document of the first ranking, taken to be relevant. */
export interface FeedbackDocument {
  readonly document: number;
  readonly score: number;
}

/** What feedback draws on: an {@link Index}, or what a search engine tells of the feedback documents. */
export interface FeedbackSource {
  readonly statistics: Pick<CollectionStatistics, 'documents' | 'nonEmptyDocuments' | 'tokens'>;
  /** Lengths in terms, by document number. */
  readonly lengths: ArrayLike<number>;
  vector(document: number): ForwardVector;
  term(name: string): { readonly number: number } | undefined;
  termFacts(number: number): TermFacts;
}

/** Pseudo-relevance feedback: makes a better query out of the first ranking's top documents. */
export interface FeedbackModel {
  readonly name: string;
  /** How many documents it wants. */
  readonly documents: number;
  expand(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: FeedbackSource): WeightedQuery;
}
