/**
 * A reranker for Genkit: `defineBertQE(ai)`, then `ai.rerank({ reranker: 'bert-qe/SST', query, documents })`.
 *
 * @module
 */
import type { LoadOptions } from '../expansion/index.js';
import { LazyReranker, type Reranker } from './reranker.js';

/** Of Genkit's `Document`, what is read here. */
interface GenkitDocument {
  readonly text: string;
  toJSON(): { content: unknown; metadata?: Record<string, unknown> | undefined };
}

interface RankedDocuments<Content> {
  documents: { content: Content; metadata: { score: number; [name: string]: unknown } }[];
}

/** Of a Genkit instance, what is needed here; the tests hold it to the real one. */
export interface GenkitLike<Action> {
  defineReranker(
    options: { name: string; info: { label: string; supports: { media: boolean } } },
    // Genkit's types of parts are its own business: they come from it and go back to it.
    runner: (
      query: GenkitDocument,
      documents: GenkitDocument[],
      options: unknown,
    ) => Promise<RankedDocuments<never>>,
  ): Action;
}

/** Which models the reranker runs, and what Genkit calls it. */
export interface DefineOptions extends Omit<LoadOptions, 'models'> {
  /** The variant (`SST`). */
  readonly models?: string;
  /** What the reranker is called (`bert-qe/SST`). */
  readonly name?: string;
  /** A loaded `BertQE` instead of loading one on first use. */
  readonly reranker?: Reranker;
}

/**
 * Registers BERT-QE as a reranker. Requests may say `options: { k }` for the first places only; scores are
 * probabilities, in `metadata.score`.
 */
export function defineBertQE<Action>(
  ai: GenkitLike<Action>,
  options: DefineOptions = {},
): { readonly action: Action; readonly name: string; close(): Promise<void> } {
  const { name, reranker: own, models = 'SST', ...load } = options;
  const reranker = new LazyReranker(own ?? { ...load, models });
  const called = name ?? `bert-qe/${models}`;
  const action = ai.defineReranker(
    { name: called, info: { label: `BERT-QE (${models})`, supports: { media: false } } },
    async (query, documents, asked) => {
      const k = wanted(asked);
      const { results } = await reranker.rerank(
        query.text,
        documents.map(({ text }) => ({ text })),
        k === undefined ? {} : { topK: k },
      );
      return {
        documents: results.map(({ index, relevance }) => {
          const { content, metadata } = documents[index].toJSON();
          return { content: content as never, metadata: { ...metadata, score: relevance ?? 0 } };
        }),
      };
    },
  );
  return { action, name: called, close: () => reranker.close() };
}

function wanted(options: unknown): number | undefined {
  const k = (options as { k?: unknown } | undefined)?.k;
  return typeof k === 'number' ? k : undefined;
}
