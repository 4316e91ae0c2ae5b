import { Lazy } from '../common/lazy.js';
import {
  BertQE,
  checkLoadOptions,
  type InputDocument,
  type LoadOptions,
  type Reranking,
  type RerankOptions,
} from '../expansion/index.js';

/** A re-ranker for the adapters: {@link BertQE}, or one of your own. */
export interface AnyReranker {
  rerank(query: string, documents: readonly InputDocument[], options?: RerankOptions): Promise<Reranking>;
}

/** A re-ranker, or the options to load one with. */
export type RerankerSource = AnyReranker | LoadOptions;

/** A text by its index, with M(q,d), a probability. */
export interface RankedText {
  readonly index: number;
  readonly relevanceScore: number;
}

/** A re-ranker that is loaded once, on first use. One that was handed in is used as it is, and left open. */
export class LazyReranker {
  readonly #source: AnyReranker | Lazy<BertQE>;

  constructor(source: RerankerSource) {
    if ('rerank' in source) {
      this.#source = source;
      return;
    }
    checkLoadOptions(source);
    this.#source = new Lazy(() => BertQE.load(source));
  }

  async rerank(...args: Parameters<AnyReranker['rerank']>): Promise<Reranking> {
    const source = this.#source;
    return (source instanceof Lazy ? await source.get() : source).rerank(...args);
  }

  /** Ranks texts by relevance, best first. */
  async rankTexts(
    query: string,
    texts: readonly string[],
    options: { readonly topN?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<RankedText[]> {
    const documents = texts.map((text) => ({ text }));
    const { results } = await this.rerank(query, documents, { topK: options.topN, signal: options.signal });
    return results.map(({ index, relevance }) => ({ index, relevanceScore: relevance ?? 0 }));
  }

  /** Ends the models that were loaded here. */
  async close(): Promise<void> {
    if (this.#source instanceof Lazy) await (await this.#source.take())?.close();
  }
}
