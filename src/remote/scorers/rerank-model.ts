import type { TextPair } from '../../bert/index.js';
import { BertQeError } from '../../common/errors.js';
import { HttpService, statusOf } from '../net/index.js';
import type { RemoteModel, RemoteRequest } from './remote-scorer.js';

/** The requests and answers of a re-rank API. */
export interface RerankDialect {
  readonly path: string;
  body(query: string, texts: readonly string[]): object;
  /** The scores with the indexes of their texts. */
  results(answer: unknown): readonly { readonly index: number; readonly score: number }[];
}

/** The options of a {@link RerankModel}. */
export interface RerankModelOptions {
  readonly service: HttpService;
  readonly dialect: RerankDialect;
  readonly identity: string;
  /** Texts in a request. */
  readonly batch: number;
}

/**
 * A server with a re-rank API. Pairs with the same first text are sent together. Such APIs refuse empty queries and
 * texts, so a pair with an empty text has the score 0 without a request.
 */
export class RerankModel implements RemoteModel {
  readonly identity: string;
  readonly concurrency: number;
  readonly #options: RerankModelOptions;

  constructor(options: RerankModelOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.concurrency = options.service.concurrency;
  }

  async *requests(pairs: readonly TextPair[], signal: AbortSignal): AsyncGenerator<RemoteRequest> {
    const byQuery = new Map<string, number[]>();
    const empty: number[] = [];
    pairs.forEach(({ a, b }, place) => {
      if (a.trim() === '' || b.trim() === '') {
        empty.push(place);
        return;
      }
      const places = byQuery.get(a);
      if (places) places.push(place);
      else byQuery.set(a, [place]);
    });
    if (empty.length > 0) yield { places: empty, send: async () => new Float32Array(empty.length) };
    const { batch } = this.#options;
    for (const [query, all] of byQuery) {
      for (let from = 0; from < all.length; from += batch) {
        const places = all.slice(from, from + batch);
        const texts = places.map((place) => pairs[place].b);
        yield { places, send: () => this.#send(query, texts, signal) };
      }
    }
  }

  async #send(query: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array> {
    const { service, dialect } = this.#options;
    try {
      const body = dialect.body(query, texts);
      return await service.ask(dialect.path, body, (answer) => this.#read(answer, texts.length), signal);
    } catch (error) {
      if (statusOf(error) !== 413 || texts.length === 1) throw error;
      // The request is too large for this server.
      const half = texts.length >> 1;
      const first = await this.#send(query, texts.slice(0, half), signal);
      const second = await this.#send(query, texts.slice(half), signal);
      return Float32Array.of(...first, ...second);
    }
  }

  #read(answer: unknown, count: number): Float32Array {
    const results = this.#options.dialect.results(answer);
    const scores = new Float32Array(count).fill(Number.NaN);
    for (const result of results as readonly ({ index: unknown; score: unknown } | null)[]) {
      const { index, score } = result ?? { index: undefined, score: undefined };
      if (
        typeof index !== 'number' ||
        !Number.isInteger(index) ||
        index < 0 ||
        index >= count ||
        !Number.isNaN(scores[index])
      ) {
        throw this.#wrong(`a score for text ${shown(index)} of ${count}`);
      }
      if (typeof score !== 'number' || !Number.isFinite(score))
        throw this.#wrong(`the score ${shown(score)}`);
      scores[index] = score;
    }
    if (results.length !== count) throw this.#wrong(`${results.length} scores for ${count} texts`);
    return scores;
  }

  #wrong(what: string): BertQeError {
    return new BertQeError(
      'failure',
      `${this.identity} answered ${what}; is it a re-rank server of this kind?`,
    );
  }
}

/** A value of an answer, for a message. */
function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined').slice(0, 40);
}
