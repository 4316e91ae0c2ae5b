import {
  BertQE,
  checkLoadOptions,
  type InputDocument,
  type LoadOptions,
  type Reranking,
  type RerankOptions,
} from '../expansion/index.js';

/** A re-ranker for the adapters: {@link BertQE}, or one of your own. */
export interface Reranker {
  rerank(query: string, documents: readonly InputDocument[], options?: RerankOptions): Promise<Reranking>;
}

/** A re-ranker, or the options to load one with. */
export type RerankerSource = Reranker | LoadOptions;

/** A text by its index, with M(q,d), a probability. */
export interface RankedText {
  readonly index: number;
  readonly relevanceScore: number;
}

/** A re-ranker that is loaded once, on first use. One that was handed in is used as it is, and left open. */
export class LazyReranker {
  readonly #source: RerankerSource;
  #loading: Promise<BertQE> | undefined;

  constructor(source: RerankerSource) {
    if (!isReranker(source)) checkLoadOptions(source);
    this.#source = source;
  }

  async rerank(...args: Parameters<Reranker['rerank']>): Promise<Reranking> {
    const reranker = isReranker(this.#source) ? this.#source : await this.#load(this.#source);
    return reranker.rerank(...args);
  }

  /** Ranks texts by relevance, best first. */
  async rankTexts(
    query: string,
    texts: readonly string[],
    options: { readonly topN?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RankedText[]> {
    const { results } = await this.rerank(
      query,
      texts.map((text) => ({ text })),
      { topK: options.topN, signal: options.signal },
    );
    return results.map(({ index, relevance }) => ({ index, relevanceScore: relevance ?? 0 }));
  }

  /** Ends the models that were loaded here. */
  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading)?.close();
  }

  #load(options: LoadOptions): Promise<BertQE> {
    this.#loading ??= BertQE.load(options).catch((error: unknown) => {
      // The next call tries again.
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }
}

function isReranker(source: RerankerSource): source is Reranker {
  return 'rerank' in source;
}
