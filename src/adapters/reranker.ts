import {
  BertQE,
  type InputDocument,
  type LoadOptions,
  type Reranking,
  type RerankOptions,
} from '../expansion/index.js';

/** What the adapters need of a re-ranker: {@link BertQE} has it, and so may something of your own. */
export interface Reranker {
  rerank(query: string, documents: readonly InputDocument[], options?: RerankOptions): Promise<Reranking>;
}

/** A re-ranker, or what to load one with. */
export type RerankerSource = Reranker | LoadOptions;

/** Loads the models when they are first needed, once; one that was handed in stays its owner's. */
export class LazyReranker {
  readonly #source: RerankerSource;
  #loading: Promise<BertQE> | undefined;

  constructor(source: RerankerSource) {
    this.#source = source;
  }

  async rerank(...args: Parameters<Reranker['rerank']>): Promise<Reranking> {
    const reranker = isReranker(this.#source) ? this.#source : await this.#load(this.#source);
    return reranker.rerank(...args);
  }

  /** Ends the models that were loaded here. */
  async close(): Promise<void> {
    const loading = this.#loading;
    this.#loading = undefined;
    await (await loading)?.close();
  }

  #load(options: LoadOptions): Promise<BertQE> {
    this.#loading ??= BertQE.load(options).catch((error: unknown) => {
      // The next call may find the model where this one did not.
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }
}

function isReranker(source: RerankerSource): source is Reranker {
  return 'rerank' in source;
}
