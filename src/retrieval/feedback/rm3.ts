import { sumByTerm, type WeightedQuery } from '../query.js';
import type { FeedbackDocument, FeedbackModel, FeedbackSource } from './feedback.js';

export interface Rm3Options {
  /** Feedback documents (10). */
  readonly documents?: number;
  /** The number of feedback terms, per document and in all (10). */
  readonly terms?: number;
  /** Weight of the original query in the mixture (0.5). */
  readonly originalWeight?: number;
  /** The largest share of documents that may contain a feedback term (0.1). */
  readonly maxDocumentShare?: number;
}

/** Anserini's filter of feedback terms. */
const FEEDBACK_TERM = /^[a-z0-9]{2,20}$/;

/**
 * RM3 as in Anserini. The most frequent terms of each feedback document are L1-normalised, multiplied by the document's
 * score and summed. The heaviest of these sums, L1-normalised, are mixed with the L1-normalised query.
 */
export class Rm3 implements FeedbackModel {
  readonly name = 'RM3';
  readonly documents: number;
  readonly terms: number;
  readonly originalWeight: number;
  readonly maxDocumentShare: number;

  constructor({ documents = 10, terms = 10, originalWeight = 0.5, maxDocumentShare = 0.1 }: Rm3Options = {}) {
    this.documents = documents;
    this.terms = terms;
    this.originalWeight = originalWeight;
    this.maxDocumentShare = maxDocumentShare;
  }

  expand(query: WeightedQuery, feedback: readonly FeedbackDocument[], index: FeedbackSource): WeightedQuery {
    const relevance = new Map<string, number>();
    for (const { document, score } of feedback.slice(0, this.documents)) {
      for (const [term, weight] of this.#documentModel(document, index)) {
        relevance.set(term, (relevance.get(term) ?? 0) + weight * score);
      }
    }
    const original = unitSum([...sumByTerm(query)]);
    const expansion = unitSum(heaviest([...relevance], this.terms));
    const mixed = new Map<string, number>();
    for (const [term, weight] of original) mixed.set(term, this.originalWeight * weight);
    for (const [term, weight] of expansion) {
      mixed.set(term, (mixed.get(term) ?? 0) + (1 - this.originalWeight) * weight);
    }
    return [...mixed].filter(([, weight]) => weight > 0).map(([term, weight]) => ({ term, weight }));
  }

  /** The document's most frequent admissible terms, with weights that sum to 1. */
  #documentModel(document: number, index: FeedbackSource): Entry[] {
    const { terms, frequencies } = index.vector(document);
    const mostDocuments = this.maxDocumentShare * index.statistics.nonEmptyDocuments;
    const entries: Entry[] = [];
    for (let i = 0; i < terms.length; i++) {
      const { name, documentFrequency } = index.termFacts(terms[i]);
      if (documentFrequency > mostDocuments || !FEEDBACK_TERM.test(name)) continue;
      entries.push([name, frequencies[i]]);
    }
    return unitSum(heaviest(entries, this.terms));
  }
}

type Entry = [term: string, weight: number];

/** The `count` heaviest entries; equal weights are in the order of the terms. */
function heaviest(entries: Entry[], count: number): Entry[] {
  return entries.sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, count);
}

function unitSum(entries: Entry[]): Entry[] {
  const sum = entries.reduce((total, [, weight]) => total + weight, 0);
  return sum > 0 ? entries.map(([term, weight]) => [term, weight / sum]) : entries;
}
