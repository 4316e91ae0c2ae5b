import type { Index } from '../index/index.js';
import type { WeightedQuery } from '../query.js';

/** A document of the first ranking, taken to be relevant. */
export interface FeedbackDocument {
  readonly document: number;
  readonly score: number;
}

/** Pseudo-relevance feedback: makes a better query out of the first ranking's top documents. */
export interface FeedbackModel {
  readonly name: string;
  /** How many documents it wants. */
  readonly documents: number;
  expand(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: Index): WeightedQuery;
}
