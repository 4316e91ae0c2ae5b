import type { Query, Ranking, Retriever, SearchOptions } from '../../collection/index.js';
import { usageError } from '../../common/errors.js';
import { atOnce, inSlices } from '../../common/yield.js';
import type { Analyzer } from '../analysis/analyzer.js';
import type { CollectionStatistics } from '../index/statistics.js';
import type { IndexedTerm } from '../index/dictionary.js';
import type { Postings } from '../index/postings.js';
import { Dph } from '../models/dph.js';
import type { WeightingModel } from '../models/model.js';
import type { FeedbackModel, FeedbackSource } from '../feedback/feedback.js';
import { firstQuery, sumByTerm, type WeightedQuery } from '../query.js';
import { TermCursor } from './cursor.js';
import { IdOrder, Matcher } from './matching.js';

/** The options of a searcher. */
export interface SearcherOptions {
  /** The weighting model (DPH). */
  readonly model?: WeightingModel;
  /** Pseudo-relevance feedback on the first ranking (none). */
  readonly feedback?: FeedbackModel;
  /** False scores every posting, with the same result (true). */
  readonly prune?: boolean;
}

/** A retriever over an index, with a weighting model and optional feedback. */
export class Searcher implements Retriever {
  readonly model: WeightingModel;
  readonly feedback: FeedbackModel | undefined;
  readonly #prune: boolean;
  #order: IdOrder | undefined;
  /** The state of searches, for the next ones. */
  readonly #idle: Matcher[] = [];

  constructor(
    readonly index: SearchableIndex,
    { model = new Dph(), feedback, prune = true }: SearcherOptions = {},
  ) {
    this.model = model;
    this.feedback = feedback;
    this.#prune = prune;
  }

  /** Searches in slices of time: a query of thousands of words takes seconds in a large index. */
  async search(query: Query, options: SearchOptions = {}): Promise<Ranking> {
    const { signal, depth } = options;
    if (typeof (query as Partial<Query> | undefined)?.text !== 'string') {
      throw usageError('search: the query must be an object with an id and a text.');
    }
    if (
      depth !== undefined &&
      depth !== Number.POSITIVE_INFINITY &&
      !(Number.isSafeInteger(depth) && depth >= 0)
    ) {
      throw usageError(`search: depth must be a whole number, not ${depth}.`);
    }
    const terms = await inSlices(this.#expanded(query.text, options), signal);
    return inSlices(this.#ranked(terms, options), signal);
  }

  /** The weighted terms of a query after feedback. */
  terms(text: string, options: SearchOptions = {}): WeightedQuery {
    return atOnce(this.#expanded(text, options));
  }

  /** Ranks documents by weighted terms. */
  searchTerms(query: WeightedQuery, options: SearchOptions = {}): Ranking {
    return atOnce(this.#ranked(query, options));
  }

  *#expanded(text: string, options: SearchOptions): Generator<void, WeightedQuery> {
    const query = firstQuery(this.model, this.index.analyzer, text);
    if (!this.feedback) return query;
    const depth = this.feedback.documents;
    const feedback = yield* this.#match(query, { ...options, depth }, (document, score) => ({
      document,
      score,
    }));
    return this.feedback.expand(query, feedback, this.index);
  }

  *#ranked(query: WeightedQuery, options: SearchOptions): Generator<void, Ranking> {
    const { index } = this;
    return yield* this.#match(query, options, (document, score) => ({
      id: index.documentId(document),
      score,
    }));
  }

  *#match<T>(
    query: WeightedQuery,
    { depth = 1000, signal }: SearchOptions,
    make: (document: number, score: number) => T,
  ): Generator<void, T[]> {
    const { index } = this;
    const cursors: TermCursor[] = [];
    for (const [name, weight] of sumByTerm(query)) {
      const term = index.term(name);
      if (!term || weight <= 0) continue;
      const scorer = this.model.forTerm({ ...index.statistics, ...term }, weight);
      cursors.push(new TermCursor(index.postings(term), scorer, index.lengths));
      if (cursors.length % TERMS_PER_STEP === 0) yield;
    }
    this.#order ??= new IdOrder(index.idRanks);
    const matcher = this.#idle.pop() ?? new Matcher(index.statistics.documents, this.#order);
    try {
      return yield* matcher.match(cursors, { depth, prune: this.#prune, signal }, make);
    } finally {
      this.#idle.push(matcher);
    }
  }
}

/** Terms of a step: their postings are opened. */
const TERMS_PER_STEP = 32;

/** The part of an index that a search uses: {@link Index} in files, or {@link MemoryIndex}. */
export interface SearchableIndex extends FeedbackSource {
  readonly statistics: CollectionStatistics;
  readonly analyzer: Analyzer;
  readonly lengths: Uint32Array;
  /** The rank of every document's id in byte order, by document number; it breaks ties. */
  readonly idRanks: Uint32Array;
  documentId(number: number): string;
  term(name: string): IndexedTerm | undefined;
  postings(term: IndexedTerm): Postings;
}
