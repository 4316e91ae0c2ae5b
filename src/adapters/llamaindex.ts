/**
 * A node postprocessor for LlamaIndex.TS: for query engines, or to be called with nodes.
 *
 * @module
 */
import type { MessageContent } from '@llamaindex/core/llms';
import type { BaseNodePostprocessor } from '@llamaindex/core/postprocessor';
import { MetadataMode, type NodeWithScore } from '@llamaindex/core/schema';
import { BertQeError } from '../common/errors.js';
import { LazyReranker, type RerankerSource } from './reranker.js';

/** Which re-ranker is used on which part of the nodes, and how many it keeps. */
export interface BertQEPostprocessorOptions {
  /** A loaded `BertQE`, or what to load it with on first use (the shipped `SST`). */
  readonly reranker?: RerankerSource;
  /** How many nodes are kept (2, as LlamaIndex's other re-rankers do). */
  readonly topN?: number;
  /** What of a node is read beside its text (`ALL`: its metadata, too). */
  readonly metadataMode?: MetadataMode;
  /** Takes the nodes' scores as initial scores, so that β weighs them against the model's (false). */
  readonly useScores?: boolean;
}

/** Keeps the nodes that matter to the query, best first, with their relevance as score. */
export class BertQEPostprocessor implements BaseNodePostprocessor {
  readonly topN: number;
  readonly #reranker: LazyReranker;
  readonly #metadataMode: MetadataMode;
  readonly #useScores: boolean;

  constructor(options: BertQEPostprocessorOptions = {}) {
    this.topN = options.topN ?? 2;
    this.#reranker = new LazyReranker(options.reranker ?? {});
    this.#metadataMode = options.metadataMode ?? MetadataMode.ALL;
    this.#useScores = options.useScores ?? false;
  }

  async postprocessNodes(nodes: NodeWithScore[], query?: MessageContent): Promise<NodeWithScore[]> {
    if (nodes.length === 0) return [];
    const text = query === undefined ? '' : textOf(query);
    if (text === '') {
      throw new BertQeError(
        'usage',
        'BertQEPostprocessor needs a query to re-rank nodes for; the query has no text.',
      );
    }
    const inputs = nodes.map(({ node, score }) => {
      const input = { text: node.getContent(this.#metadataMode) };
      return this.#useScores ? { ...input, score: score ?? 0 } : input;
    });
    const { results } = await this.#reranker.rerank(text, inputs, { topK: this.topN });
    return results.map(({ index, relevance }) => ({ node: nodes[index].node, score: relevance ?? 0 }));
  }

  /** Ends models that were loaded here. */
  close(): Promise<void> {
    return this.#reranker.close();
  }
}

/** The words of a message, whose other parts may be images. */
function textOf(query: MessageContent): string {
  if (typeof query === 'string') return query;
  return query
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}
