/**
 * A re-ranker for the Vercel AI SDK that needs no service: `rerank({ model: bertQE('SST'), query, documents })`.
 *
 * @module
 */
import { parseVariant, type InputDocument, type LoadOptions } from '../expansion/index.js';
import { BertQeError } from '../common/errors.js';
import type {
  AnyObject,
  CallOptions,
  CallResult,
  CallWarning,
  JsonObject,
  ProviderOptions,
  RerankingModel,
  SpecificationVersion,
} from './ai-sdk-types.js';
import { LazyReranker } from './reranker.js';

export type { RerankingModel } from './ai-sdk-types.js';

/** How models are loaded; `specificationVersion` says for which AI SDK. */
export interface BertQEProviderOptions<V extends SpecificationVersion = 'v4'> extends Omit<
  LoadOptions,
  'models'
> {
  /** `v4` for AI SDK 7 (the default), `v3` for AI SDK 6. */
  readonly specificationVersion?: V;
}

/** Makes models by name: `SST`, `BERT-QE-SST`, `S`. */
export interface BertQEProvider<V extends SpecificationVersion = 'v4'> {
  (modelId: string): RerankingModel<V>;
  readonly specificationVersion: V;
  reranking(modelId: string): RerankingModel<V>;
  rerankingModel(modelId: string): RerankingModel<V>;
  /** BERT-QE re-ranks; the models of other kinds are not here. */
  languageModel(modelId: string): never;
  embeddingModel(modelId: string): never;
  imageModel(modelId: string): never;
  /** Ends the models that were loaded. */
  close(): Promise<void>;
}

/**
 * A provider of its own settings: `createBertQE({ alpha: 0.5 })('SST')` is a model for `rerank()` of the AI SDK;
 * examples/ai-sdk.mjs is a whole program.
 */
export function createBertQE<V extends SpecificationVersion = 'v4'>(
  options: BertQEProviderOptions<V> = {},
): BertQEProvider<V> {
  const { specificationVersion = 'v4' as V, ...load } = options;
  const rerankers = new Map<string, LazyReranker>();
  const model = (modelId: string): RerankingModel<V> => {
    const { name } = parseVariant(modelId);
    let reranker = rerankers.get(name);
    if (!reranker) rerankers.set(name, (reranker = new LazyReranker({ ...load, models: modelId })));
    return rerankingModel(specificationVersion, modelId, reranker);
  };
  return Object.assign(model, {
    specificationVersion,
    reranking: model,
    rerankingModel: model,
    languageModel: absent('language model'),
    embeddingModel: absent('embedding model'),
    imageModel: absent('image model'),
    close: async () => {
      await Promise.all([...rerankers.values()].map((reranker) => reranker.close()));
      rerankers.clear();
    },
  });
}

/** What other providers have in this place. */
function absent(kind: string): (modelId: string) => never {
  return (modelId) => {
    throw new BertQeError('usage', `bert-qe has no ${kind} "${modelId}": it re-ranks, use rerankingModel().`);
  };
}

/** The provider with every setting as it comes, for AI SDK 7. */
export const bertQE = createBertQE();

function rerankingModel<V extends SpecificationVersion>(
  specificationVersion: V,
  modelId: string,
  reranker: LazyReranker,
): RerankingModel<V> {
  return {
    specificationVersion,
    provider: 'bert-qe',
    modelId,
    async doRerank({
      query,
      documents,
      topN,
      abortSignal,
      providerOptions,
    }: CallOptions): Promise<CallResult> {
      const { explain, deadline, scores } = callOptions(providerOptions);
      const { inputs, warnings } = inputsOf(documents, scores);
      const timestamp = new Date();
      const { results, complete, cost, explanation } = await reranker.rerank(query, inputs, {
        ...(topN === undefined ? {} : { topK: topN }),
        ...(abortSignal ? { signal: abortSignal } : {}),
        ...(explain ? { explain } : {}),
        ...(deadline === undefined ? {} : { deadline }),
      });
      return {
        // By M(q,d), a probability; the final score is its logarithm, unless initial scores were given too.
        ranking: results.map(({ index, relevance, score }) => ({
          index,
          relevanceScore: scores ? score : (relevance ?? 0),
        })),
        warnings,
        providerMetadata: { bertQe: asJson({ complete, cost, ...(explanation ? { explanation } : {}) }) },
        response: { timestamp, modelId },
      };
    },
  };
}

/** `providerOptions: { bertQe: { explain, deadline, scores } }`. */
function callOptions(options: ProviderOptions | undefined) {
  const { explain, deadline, scores } = options?.['bertQe'] ?? {};
  if (
    scores !== undefined &&
    !(Array.isArray(scores) && scores.every((score) => typeof score === 'number'))
  ) {
    throw new BertQeError(
      'usage',
      'providerOptions.bertQe.scores must be numbers: the initial score of each document.',
    );
  }
  if (deadline !== undefined && typeof deadline !== 'number') {
    throw new BertQeError('usage', 'providerOptions.bertQe.deadline must be a number of milliseconds.');
  }
  return { explain: explain === true, deadline, scores: scores as readonly number[] | undefined };
}

function inputsOf(
  { type, values }: CallOptions['documents'],
  scores: readonly number[] | undefined,
): { inputs: InputDocument[]; warnings: CallWarning[] } {
  if (scores && scores.length !== values.length) {
    throw new BertQeError(
      'usage',
      `providerOptions.bertQe.scores has ${scores.length} numbers for ${values.length} documents; give each one.`,
    );
  }
  let isWritten = false;
  const inputs = values.map((value, i) => {
    const { document, wasObject } = documentOf(value);
    isWritten ||= wasObject;
    return scores ? { ...document, score: scores[i] } : document;
  });
  const warning: CallWarning = {
    type: 'compatibility',
    feature: 'object documents',
    details: 'Objects without a "text" are re-ranked as their JSON.',
  };
  return { inputs, warnings: type === 'object' && isWritten ? [warning] : [] };
}

/** An object with a `text` (and perhaps a `title`) is read as a document; of any other its JSON is. */
function documentOf(value: string | AnyObject): { document: InputDocument; wasObject: boolean } {
  if (typeof value === 'string') return { document: { text: value }, wasObject: false };
  const { title, text } = value;
  if (typeof text !== 'string') return { document: { text: JSON.stringify(value) }, wasObject: true };
  return { document: typeof title === 'string' ? { title, text } : { text }, wasObject: false };
}

function asJson(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
