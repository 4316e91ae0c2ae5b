/**
 * A reranker for Genkit: `defineBertQE(ai)`, then `ai.rerank({ reranker: 'bert-qe/SST', query, documents })`.
 *
 * @module
 */
import { refuseUnknownOptions } from '../common/known-options.js';
import { checkLoadOptions, type LoadOptions } from '../expansion/index.js';
import { LazyReranker, type AnyReranker } from './lazy-reranker.js';

/** The part of Genkit's `Document` that is read here. */
interface GenkitDocument {
  readonly text: string;
  toJSON(): { content: unknown; metadata?: Record<string, unknown> | undefined };
}

interface RankedDocuments<Content> {
  documents: { content: Content; metadata: { score: number; [name: string]: unknown } }[];
}

/** The part of a Genkit instance that is used here. The tests check it against the real one. */
export interface GenkitLike<Action> {
  defineReranker(
    options: { name: string; info: { label: string; supports: { media: boolean } } },
    // Parts come from Genkit and go back to it, so their types do not matter here.
    runner: (
      query: GenkitDocument,
      documents: GenkitDocument[],
      options: unknown,
    ) => Promise<RankedDocuments<never>>,
  ): Action;
}

/** Options of {@link defineBertQE}. */
export interface DefineOptions extends Omit<LoadOptions, 'models'> {
  /** The variant (`SST`). */
  readonly models?: string;
  /** The name of the reranker (`bert-qe/SST`). */
  readonly name?: string;
  /** A loaded `BertQE` instead of loading one on first use. */
  readonly reranker?: AnyReranker;
}

/**
 * Registers BERT-QE as a reranker. Requests may set `options: { k }` to get the first places only. Scores are
 * probabilities, in `metadata.score`.
 */
export function defineBertQE<Action>(
  ai: GenkitLike<Action>,
  options: DefineOptions = {},
): { readonly action: Action; readonly name: string; close(): Promise<void> } {
  checkLoadOptions(options, 'defineBertQE', { name: true, reranker: true });
  const { name, reranker: own, models = 'SST', ...load } = options;
  const reranker = new LazyReranker(own ?? { ...load, models });
  const called = name ?? `bert-qe/${models}`;
  const action = ai.defineReranker(
    { name: called, info: { label: `BERT-QE (${models})`, supports: { media: false } } },
    async (query, documents, asked) => {
      const texts = documents.map(({ text }) => text);
      const ranking = await reranker.rankTexts(query.text, texts, { topN: topNOf(asked) });
      return {
        documents: ranking.map(({ index, relevanceScore }) => {
          const { content, metadata } = documents[index].toJSON();
          return { content: content as never, metadata: { ...metadata, score: relevanceScore } };
        }),
      };
    },
  );
  return { action, name: called, close: () => reranker.close() };
}

function topNOf(options: unknown): number | undefined {
  if (options === undefined || options === null) return undefined;
  refuseUnknownOptions('bert-qe', options, { k: true });
  const { k } = options as { k?: unknown };
  return typeof k === 'number' ? k : undefined;
}
