import { BertQeError } from '../../common/errors.js';
import { HttpService, type ServiceOptions } from '../net/index.js';
import { RemoteScorer, type RemoteScorerOptions } from './remote-scorer.js';
import { RerankModel, type RerankDialect } from './rerank-model.js';

/** The options of {@link teiScorer}. */
export interface TeiOptions extends ServiceOptions, RemoteScorerOptions {
  /** Texts in a request (the server's own limit, else 32). */
  readonly batch?: number;
}

const dialect: RerankDialect = {
  path: '/rerank',
  body: (query, texts) => ({ query, texts, raw_scores: false, truncate: true }),
  results(answer) {
    if (!Array.isArray(answer))
      throw new BertQeError('failure', 'A TEI server answers /rerank with an array.');
    return answer as { index: number; score: number }[];
  },
};

/** A scorer on Hugging Face Text Embeddings Inference, or on another server with its `/rerank`, such as `bert-qe serve`. */
export async function teiScorer(options: TeiOptions, signal?: AbortSignal): Promise<RemoteScorer> {
  const service = new HttpService(options);
  const info = await service.ask(
    '/info',
    undefined,
    (answer) => (answer ?? {}) as Record<string, unknown>,
    signal,
  );
  const most = Number(info['max_client_batch_size']);
  const batch = options.batch ?? (Number.isInteger(most) && most > 0 ? most : 32);
  const model = [info['model_id'] ?? info['model'], info['model_sha']]
    .filter((part) => typeof part === 'string')
    .join('@');
  const identity = `${service.address} ${model}`.trim();
  return new RemoteScorer(new RerankModel({ service, dialect, identity, batch }), options);
}
