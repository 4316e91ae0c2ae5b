import type { Query, Ranking, Retriever, SearchOptions } from '../../collection/index.js';
import type { FeedbackModel } from '../feedback/index.js';
import type { Index } from '../index/index.js';
import { Dph, type WeightingModel } from '../models/index.js';
import { TermCursor } from './cursor.js';
import { firstQuery } from './first-query.js';
import { IdOrder, Matcher } from './matching.js';
import { sumByTerm, type WeightedQuery } from '../query.js';

/** How an index is searched. */
export interface SearcherOptions {
  /** DPH unless given. */
  readonly model?: WeightingModel;
  /** Pseudo-relevance feedback on the first ranking; none unless given. */
  readonly feedback?: FeedbackModel;
  /** Off: every posting is scored; for comparison, the answer is the same. */
  readonly prune?: boolean;
}

/** Searches an index: a weighting model, and feedback on top if wanted. */
export class Searcher implements Retriever {
  readonly model: WeightingModel;
  readonly feedback: FeedbackModel | undefined;
  readonly #prune: boolean;
  #matcher: Matcher | undefined;

  constructor(
    readonly index: Index,
    { model = new Dph(), feedback, prune = true }: SearcherOptions = {},
  ) {
    this.model = model;
    this.feedback = feedback;
    this.#prune = prune;
  }

  async search(query: Query, options: SearchOptions = {}): Promise<Ranking> {
    return this.searchTerms(this.terms(query.text, options), options);
  }

  /** The weighted terms that are matched in the end, feedback included. */
  terms(text: string, options: SearchOptions = {}): WeightedQuery {
    const query = firstQuery(this.model, this.index.analyzer, text);
    if (!this.feedback) return query;
    const depth = this.feedback.documents;
    const feedback = this.#match(query, { ...options, depth }, (document, score) => ({ document, score }));
    return this.feedback.expand(query, feedback, this.index);
  }

  /** Ranks by a query that is already weighted terms. */
  searchTerms(query: WeightedQuery, options: SearchOptions = {}): Ranking {
    const { index } = this;
    return this.#match(query, options, (document, score) => ({ id: index.documentId(document), score }));
  }

  #match<T>(
    query: WeightedQuery,
    { depth = 1000, signal }: SearchOptions,
    make: (document: number, score: number) => T,
  ): T[] {
    const { index } = this;
    this.#matcher ??= new Matcher(index.statistics.documents, new IdOrder(index.idRanks));
    const cursors: TermCursor[] = [];
    for (const [name, weight] of sumByTerm(query)) {
      const term = index.term(name);
      if (!term || weight <= 0) continue;
      const scorer = this.model.forTerm({ ...index.statistics, ...term }, weight);
      cursors.push(new TermCursor(index.postings(term), scorer, index.lengths));
    }
    return this.#matcher.match(cursors, { depth, prune: this.#prune, ...(signal ? { signal } : {}) }, make);
  }
}
