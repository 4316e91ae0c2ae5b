/**
 * A document compressor for LangChain.js: for `ContextualCompressionRetriever`, or to be called with documents.
 *
 * @module
 */
import type { DocumentInterface } from '@langchain/core/documents';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { LazyReranker, type RerankerSource } from './reranker.js';

/** Which re-ranker compresses, and how many documents it keeps. */
export interface BertQECompressorOptions {
  /** A loaded `BertQE`, or what to load it with on first use (the shipped `SST`). */
  readonly reranker?: RerankerSource;
  /** How many documents are kept (3, as LangChain's other re-rankers do). */
  readonly topN?: number;
}

/** Keeps the documents that matter to the query, best first, their relevance in `metadata.relevanceScore`. */
export class BertQECompressor extends BaseDocumentCompressor {
  readonly topN: number;
  readonly #reranker: LazyReranker;

  constructor({ reranker = {}, topN = 3 }: BertQECompressorOptions = {}) {
    super();
    this.topN = topN;
    this.#reranker = new LazyReranker(reranker);
  }

  override async compressDocuments(
    documents: DocumentInterface[],
    query: string,
  ): Promise<DocumentInterface[]> {
    const ranking = await this.rerank(documents, query);
    return ranking.map(({ index, relevanceScore }) => {
      const document = documents[index];
      return { ...document, metadata: { ...document.metadata, relevanceScore } };
    });
  }

  /** The ranking alone: of documents, texts, or objects with a `pageContent`. */
  async rerank(
    documents: readonly (DocumentInterface | string | { readonly pageContent: string })[],
    query: string,
    { topN = this.topN, signal }: { topN?: number; signal?: AbortSignal } = {},
  ): Promise<{ index: number; relevanceScore: number }[]> {
    if (documents.length === 0) return [];
    const inputs = documents.map((document) => ({
      text: typeof document === 'string' ? document : document.pageContent,
    }));
    const { results } = await this.#reranker.rerank(query, inputs, {
      topK: topN,
      ...(signal ? { signal } : {}),
    });
    return results.map(({ index, relevance }) => ({ index, relevanceScore: relevance ?? 0 }));
  }

  /** Ends models that were loaded here. */
  close(): Promise<void> {
    return this.#reranker.close();
  }
}
