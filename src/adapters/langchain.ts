/**
 * A document compressor for LangChain.js, for `ContextualCompressionRetriever` or to be called with documents.
 *
 * @module
 */
import type { DocumentInterface } from '@langchain/core/documents';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import { LazyReranker, type RankedText, type RerankerSource } from './lazy-reranker.js';

/** Options of {@link BertQECompressor}. */
export interface BertQECompressorOptions {
  /** A loaded `BertQE`, or the options to load one with on first use (the shipped `SST`). */
  readonly reranker?: RerankerSource;
  /** The number of documents to keep (3, as with LangChain's other re-rankers). */
  readonly topN?: number;
}

const COMPRESSOR_OPTIONS: OptionNames<BertQECompressorOptions> = { reranker: true, topN: true };

/** Keeps the most relevant documents, best first, with their relevance in `metadata.relevanceScore`. */
export class BertQECompressor extends BaseDocumentCompressor {
  readonly topN: number;
  readonly #reranker: LazyReranker;

  constructor(options: BertQECompressorOptions = {}) {
    super();
    refuseUnknownOptions('BertQECompressor', options, COMPRESSOR_OPTIONS);
    const { reranker = {}, topN = 3 } = options;
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

  /** The ranking of documents, texts, or objects with a `pageContent`. */
  async rerank(
    documents: readonly (DocumentInterface | string | { readonly pageContent: string })[],
    query: string,
    { topN = this.topN, signal }: { topN?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<RankedText[]> {
    if (documents.length === 0) return [];
    const texts = documents.map((document) =>
      typeof document === 'string' ? document : document.pageContent,
    );
    return this.#reranker.rankTexts(query, texts, { topN, signal });
  }

  /** Ends the models that were loaded here. */
  close(): Promise<void> {
    return this.#reranker.close();
  }
}
