import { compareUtf8 } from '../../common/order.js';
import type { Query, Ranking, Retriever, ScoredDocument, SearchOptions } from '../../collection/index.js';
import { failureError, usageError } from '../../common/errors.js';
import {
  bagOfTerms,
  Dph,
  firstQuery,
  sumByTerm,
  type FeedbackModel,
  type WeightedQuery,
  type WeightingModel,
} from '../../retrieval/index.js';
import { anything, list, number, object, optional, text } from './answer-shape.js';
import type { EngineCallOptions } from './connection.js';
import { fields } from './definition.js';
import type { EngineIndex } from './engine-index.js';
import { FeedbackView } from './feedback-view.js';
import { PointInTime } from './point-in-time.js';
import { scoringQuery, type CountedTerm, type ScoringQuery } from './scoring-query.js';

/** The options of an {@link EngineRetriever}. */
export interface EngineRetrieverOptions {
  /** Weighting model (DPH). */
  readonly model?: WeightingModel;
  /** Pseudo-relevance feedback on the first ranking (none). */
  readonly feedback?: FeedbackModel;
  /** Milliseconds that the server may take for one search; partial results are not used (30,000). */
  readonly timeoutMs?: number;
}

/** Documents in one answer: the server's default for `index.max_result_window`. */
const pageSize = 10_000;

const searchAnswer = object({
  timed_out: anything,
  _shards: object({ total: number, failed: number }),
  hits: object({ hits: list(object({ _id: text, _score: number, sort: optional(list(anything)) })) }),
});

/** Searches an index on a cluster with the weighting and feedback models of the embedded index. The server scores. */
export class EngineRetriever implements Retriever {
  readonly model: WeightingModel;
  readonly feedback: FeedbackModel | undefined;
  readonly #timeoutMs: number;
  readonly #view: PointInTime;

  constructor(
    readonly index: EngineIndex,
    { model = new Dph(), feedback, timeoutMs = 30_000 }: EngineRetrieverOptions = {},
  ) {
    this.model = model;
    this.feedback = feedback;
    this.#timeoutMs = timeoutMs;
    this.#view = new PointInTime(index.connection, index.name);
    // Refuses models that the index cannot score by before the first query.
    scoringQuery(model, [], index);
  }

  async search(query: Query, { depth = 1000, signal }: SearchOptions = {}): Promise<Ranking> {
    const call: EngineCallOptions = { signal };
    const terms = await this.#terms(query.text, call);
    return this.#match(terms, depth, call);
  }

  async close(): Promise<void> {
    await this.#view.close();
  }

  async #terms(text: string, call: EngineCallOptions): Promise<WeightedQuery> {
    const { analyzer } = this.index;
    const query = analyzer
      ? firstQuery(this.model, analyzer, text)
      : bagOfTerms(await this.index.analyze(text, call));
    if (!this.feedback) return query;
    const first = await this.#match(query, this.feedback.documents, call);
    if (first.length === 0) return query;
    const ids = first.map(({ id }) => id);
    const view = await FeedbackView.fetch(this.index, ids, call);
    const feedback = first.map(({ score }, document) => ({ document, score }));
    return this.feedback.expand(query, feedback, view);
  }

  async #match(query: WeightedQuery, depth: number, call: EngineCallOptions): Promise<ScoredDocument[]> {
    const weights = [...sumByTerm(query)].filter(([, weight]) => weight > 0);
    const counts = await this.index.terms.of(
      weights.map(([term]) => term),
      call,
    );
    const terms = weights
      .map(([term, weight]): CountedTerm => ({ term, weight, ...counts.get(term)! }))
      .filter(({ documentFrequency }) => documentFrequency > 0);
    if (terms.length === 0) return [];
    const scoring = scoringQuery(this.model, terms, this.index);
    return this.#view.use((pit) => this.#pages(scoring, depth, pit, call), call);
  }

  /** Fetches a ranking page by page. Documents with equal scores are in the byte order of their ids, as on the server. */
  async #pages(
    scoring: ScoringQuery,
    depth: number,
    pit: object,
    call: EngineCallOptions,
  ): Promise<ScoredDocument[]> {
    const isOurs = this.index.manifest !== undefined;
    if (!isOurs && depth > pageSize) {
      throw usageError(`${this.index.name} gives at most ${pageSize} documents a query; lower the depth.`);
    }
    const ranking: ScoredDocument[] = [];
    let after: readonly unknown[] | undefined;
    do {
      const size = Math.min(pageSize, depth - ranking.length);
      const page = await this.#page(
        {
          size,
          query: scoring.query,
          pit,
          _source: false,
          track_total_hits: false,
          timeout: `${this.#timeoutMs}ms`,
          sort: [{ _score: 'desc' }, ...(isOurs ? [{ [fields.id]: 'asc' }] : [])],
          ...(after ? { search_after: after } : {}),
        },
        scoring,
        call,
      );
      const { hits } = page.hits;
      if (hits.length > size) {
        throw failureError(`${this.index.name} gave ${hits.length} documents where ${size} were asked for.`);
      }
      for (const { _id: id, _score: score } of hits) ranking.push({ id, score: score - scoring.lift });
      after = hits.length === size ? hits.at(-1)?.sort : undefined;
    } while (after && ranking.length < depth);
    return isOurs ? ranking : ranking.sort((a, b) => b.score - a.score || compareUtf8(a.id, b.id));
  }

  /** Fetches a page; an answer without some shard, or cut off by the timeout, is refused. */
  async #page(body: object, scoring: ScoringQuery, call: EngineCallOptions) {
    const query = {
      allow_partial_search_results: 'false',
      ...(scoring.gathersStatistics ? { search_type: 'dfs_query_then_fetch' } : {}),
    };
    return this.index.connection.call(
      { method: 'POST', path: '/_search', query, body },
      searchAnswer,
      call,
      ({ timed_out: isCut, _shards: { failed, total } }) => {
        if (isCut) return `the search took more than ${this.#timeoutMs} ms`;
        return failed > 0 ? `${failed} of ${total} shards did not answer` : undefined;
      },
    );
  }
}
