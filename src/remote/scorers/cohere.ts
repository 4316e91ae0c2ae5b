import { BertQeError } from '../../common/errors.js';
import { HttpService, type ServiceOptions } from '../net/index.js';
import { RemoteScorer, type RemoteScorerOptions } from './remote-scorer.js';
import { RerankModel } from './rerank-model.js';

/** The options of {@link cohereScorer}. */
export interface CohereOptions extends ServiceOptions, RemoteScorerOptions {
  /** The model's name, where the API serves several. */
  readonly model?: string;
  /** Texts in a request (100; the APIs take up to 1,000). */
  readonly batch?: number;
}

interface Result {
  readonly index: number;
  readonly relevance_score: number;
}

/**
 * A scorer on a re-rank API like those of Cohere, Jina, Voyage, Together, infinity and vLLM, by its full URL
 * (`https://api.example/v2/rerank`). Its scores must be calibrated probabilities, as Cohere's and Jina's are.
 */
export function cohereScorer({ model, batch = 100, ...options }: CohereOptions): RemoteScorer {
  const service = new HttpService(options);
  const dialect = {
    path: '',
    body: (query: string, documents: readonly string[]) => ({
      ...(model ? { model } : {}),
      query,
      documents,
    }),
    results(answer: unknown) {
      // Voyage calls the list `data`, the others `results`.
      const { results, data } = (answer ?? {}) as { results?: readonly Result[]; data?: readonly Result[] };
      const found = results ?? data;
      if (!Array.isArray(found)) {
        throw new BertQeError(
          'failure',
          `${service.address} does not answer like a re-rank API (no results).`,
        );
      }
      return (found as readonly (Result | null)[]).map((result) => ({
        index: result?.index as number,
        score: result?.relevance_score as number,
      }));
    },
  };
  const identity = model ? `${service.address} ${model}` : service.address;
  return new RemoteScorer(new RerankModel({ service, dialect, identity, batch }), options);
}
