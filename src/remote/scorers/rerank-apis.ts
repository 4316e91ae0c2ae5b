import { BertQeError, failureError } from '../../common/errors.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import { isJsonObject } from '../../common/json.js';
import { refusalOf } from '../net/exchange.js';
import { HttpService, type ServiceOptions } from '../net/http-service.js';
import { RemoteScorer, type RemoteModel, type RemoteScorerOptions } from './remote-scorer.js';

/** The options of {@link teiScorer}. */
export interface TeiOptions extends ServiceOptions, RemoteScorerOptions {
  /** Texts in a request (the server's own limit, else 32). */
  readonly batch?: number;
}

/** A scorer on Hugging Face Text Embeddings Inference, or on another server with its `/rerank`, such as `bert-qe serve`. */
export async function teiScorer(options: TeiOptions, signal?: AbortSignal): Promise<RemoteScorer> {
  const service = new HttpService(options);
  const info = await service.ask('/info', undefined, objectOf, signal);
  const most = Number(info['max_client_batch_size']);
  const batch = options.batch ?? (Number.isInteger(most) && most > 0 ? most : 32);
  const model = [info['model_id'] ?? info['model'], info['model_sha']]
    .filter((part) => typeof part === 'string')
    .join('@');
  const identity = `${service.address} ${model}`.trim();
  const dialect: RerankDialect = {
    path: '/rerank',
    body: (query, texts) => ({ query, texts, raw_scores: false, truncate: true }),
    results: (answer) => answer,
    score: 'score',
    otherwise: 'A TEI server answers /rerank with an array.',
  };
  return new RemoteScorer(rerankModel(service, dialect, identity, batch), options);
}

function objectOf(answer: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(answer) ? answer : {};
}

/** The options of {@link cohereScorer}. */
export interface CohereOptions extends ServiceOptions, RemoteScorerOptions {
  /** The model's name, where the API serves several. */
  readonly model?: string;
  /** Texts in a request (100; the APIs take up to 1,000). */
  readonly batch?: number;
}

/**
 * A scorer on a re-rank API like those of Cohere, Jina, Voyage, Together, infinity and vLLM, by its full URL
 * (`https://api.example/v2/rerank`). Its scores must be calibrated probabilities, as Cohere's and Jina's are.
 */
export function cohereScorer({ model, batch = 100, ...options }: CohereOptions): RemoteScorer {
  const service = new HttpService(options);
  const dialect: RerankDialect = {
    path: '',
    body: (query, documents) => ({ ...(model ? { model } : {}), query, documents }),
    // Voyage calls the list `data`, the others `results`.
    results: (answer) => (isJsonObject(answer) ? (answer['results'] ?? answer['data']) : undefined),
    score: 'relevance_score',
    otherwise: `${service.address} does not answer like a re-rank API (no results).`,
  };
  const identity = model ? `${service.address} ${model}` : service.address;
  return new RemoteScorer(rerankModel(service, dialect, identity, batch), options);
}

interface RerankDialect {
  readonly path: string;
  body(query: string, texts: readonly string[]): object;
  /** The list of scores with the indexes of their texts. */
  results(answer: unknown): unknown;
  /** The field of a score. */
  readonly score: string;
  /** The message where there is no list. */
  readonly otherwise: string;
}

/**
 * A server with a re-rank API, which takes `batch` texts in a request. Pairs with the same first text are sent together.
 * Such APIs refuse empty queries and texts, so a pair with an empty text has the score 0 without a request.
 */
function rerankModel(
  service: HttpService,
  dialect: RerankDialect,
  identity: string,
  batch: number,
): RemoteModel {
  const wrong = (what: string): BertQeError =>
    failureError(`${identity} answered ${what}; is it a re-rank server of this kind?`);

  const read = (answer: unknown, count: number): Float32Array => {
    const results = dialect.results(answer);
    if (!Array.isArray(results)) throw failureError(dialect.otherwise);
    const scores = new Float32Array(count).fill(Number.NaN);
    for (const result of results as unknown[]) {
      const { index, [dialect.score]: score } = isJsonObject(result) ? result : {};
      if (!Number.isInteger(index) || !Number.isNaN(scores[index as number])) {
        throw wrong(`a score for text ${shown(index)} of ${count}`);
      }
      if (!Number.isFinite(score)) throw wrong(`the score ${shown(score)}`);
      scores[index as number] = score as number;
    }
    if (results.length !== count) throw wrong(`${results.length} scores for ${count} texts`);
    return scores;
  };

  const send = async (
    query: string,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Float32Array> => {
    try {
      const body = dialect.body(query, texts);
      return await service.ask(dialect.path, body, (answer) => read(answer, texts.length), signal);
    } catch (error) {
      if (refusalOf(error)?.status !== 413 || texts.length === 1) throw error;
      // The request is too large for this server.
      const half = texts.length >> 1;
      const first = await send(query, texts.slice(0, half), signal);
      return Float32Array.of(...first, ...(await send(query, texts.slice(half), signal)));
    }
  };

  return {
    identity,
    concurrency: service.concurrency,
    async *requests(pairs, signal) {
      const byQuery = new Map<string, number[]>();
      const empty: number[] = [];
      pairs.forEach(({ a, b }, place) => {
        const places = a.trim() === '' || b.trim() === '' ? empty : getOrInsert(byQuery, a, () => []);
        places.push(place);
      });
      if (empty.length > 0) yield { places: empty, send: async () => new Float32Array(empty.length) };
      for (const [query, all] of byQuery) {
        for (let from = 0; from < all.length; from += batch) {
          const places = all.slice(from, from + batch);
          const texts = places.map((place) => pairs[place].b);
          yield { places, send: () => send(query, texts, signal) };
        }
      }
    },
  };
}

/** A value of an answer, for a message. */
function shown(value: unknown): string {
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined').slice(0, 40);
}
