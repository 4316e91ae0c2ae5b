/**
 * A re-ranker for the Vercel AI SDK that needs no service: `rerank({ model: bertQE('SST'), query, documents })`.
 *
 * @module
 */
import { checkLoadOptions, parseVariant, type InputDocument, type LoadOptions } from '../expansion/index.js';
import { usageError } from '../common/errors.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { refuseUnknownOptions } from '../common/known-options.js';
import { LazyReranker } from './lazy-reranker.js';

// The types of a reranking model of the AI SDK, for versions 3 and 4 of its specification, which differ in the number
// only. They are written down here so that `@ai-sdk/provider` need not be installed. The tests check them against the
// real types.

type JsonValue = null | string | number | boolean | SdkJsonObject | JsonValue[];
type SdkJsonObject = { [name: string]: JsonValue | undefined };

/** AI SDK 6 takes v3, AI SDK 7 takes v3 and v4. */
type SpecificationVersion = 'v3' | 'v4';

/** An object of the caller, with unknown fields. */
type AnyObject = Readonly<Record<string, unknown>>;

interface RerankingCall {
  documents: { type: 'text'; values: string[] } | { type: 'object'; values: AnyObject[] };
  query: string;
  topN?: number | undefined;
  abortSignal?: AbortSignal | undefined;
  /** Options by provider. Those of `bertQe` are read. */
  providerOptions?: Readonly<Record<string, AnyObject>> | undefined;
  headers?: Record<string, string | undefined> | undefined;
}

interface RerankingAnswer {
  /** Best first. */
  ranking: { index: number; relevanceScore: number }[];
  warnings: { type: 'compatibility'; feature: string; details?: string }[];
  providerMetadata: Record<string, SdkJsonObject>;
  response: { timestamp: Date; modelId: string };
}

/** A model for `rerank()` of the AI SDK. */
export interface RerankingModel<V extends SpecificationVersion> {
  readonly specificationVersion: V;
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: RerankingCall): Promise<RerankingAnswer>;
}

/** Options of {@link createBertQE}. */
export interface BertQEProviderOptions<V extends SpecificationVersion = 'v3'> extends Omit<
  LoadOptions,
  'models'
> {
  /** The version of the models that are made (`v3`, which AI SDK 6 and 7 take). `v4` is for AI SDK 7 alone. */
  readonly specificationVersion?: V;
}

/** A provider of models by name: `SST`, `BERT-QE-SST`, `S`. */
export interface BertQEProvider<V extends SpecificationVersion = 'v3'> {
  (modelId: string): RerankingModel<V>;
  readonly specificationVersion: V;
  reranking(modelId: string): RerankingModel<V>;
  rerankingModel(modelId: string): RerankingModel<V>;
  /** Throws, like the two below: BERT-QE has reranking models only. */
  languageModel(modelId: string): never;
  embeddingModel(modelId: string): never;
  imageModel(modelId: string): never;
  /** Ends the models that were loaded. */
  close(): Promise<void>;
}

/**
 * Makes a provider with its own settings: `createBertQE({ alpha: 0.5 })('SST')` is a model for `rerank()` of the AI SDK.
 * examples/ai-sdk.mjs is a whole program.
 */
export function createBertQE<V extends SpecificationVersion = 'v3'>(
  options: BertQEProviderOptions<V> = {},
): BertQEProvider<V> {
  checkLoadOptions(options, 'createBertQE', { specificationVersion: true });
  const { specificationVersion = 'v3' as V, ...load } = options;
  const rerankers = new Map<string, LazyReranker>();
  const model = (modelId: string): RerankingModel<V> => {
    const { name } = parseVariant(modelId);
    const reranker = getOrInsert(rerankers, name, () => new LazyReranker({ ...load, models: modelId }));
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

/** Stands for a kind of model that other providers have. */
function absent(kind: string): (modelId: string) => never {
  return (modelId) => {
    throw usageError(`bert-qe has no ${kind} "${modelId}": it re-ranks, use rerankingModel().`);
  };
}

/** The provider with default settings. */
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
    async doRerank(call: RerankingCall): Promise<RerankingAnswer> {
      const { explain, deadline, scores } = callOptions(call.providerOptions);
      const { inputs, warnings } = inputsOf(call.documents, scores);
      const timestamp = new Date();
      const options = { topK: call.topN, signal: call.abortSignal, explain, deadline };
      const { results, complete, cost, explanation } = await reranker.rerank(call.query, inputs, options);
      return {
        // M(q,d) is a probability. The final score is its logarithm, unless initial scores were given.
        ranking: results.map(({ index, relevance, score }) => ({
          index,
          relevanceScore: scores ? score : (relevance ?? 0),
        })),
        warnings,
        providerMetadata: {
          bertQe: JSON.parse(JSON.stringify({ complete, cost, explanation })) as SdkJsonObject,
        },
        response: { timestamp, modelId },
      };
    },
  };
}

const CALL_OPTIONS = { explain: true, deadline: true, scores: true } as const;

/** Reads `providerOptions: { bertQe: { explain, deadline, scores } }`. */
function callOptions(options: RerankingCall['providerOptions']) {
  const own = options?.['bertQe'] ?? {};
  refuseUnknownOptions('providerOptions.bertQe', own, CALL_OPTIONS);
  const { explain, deadline, scores } = own;
  if (
    scores !== undefined &&
    !(Array.isArray(scores) && scores.every((score) => typeof score === 'number'))
  ) {
    throw usageError('providerOptions.bertQe.scores must be numbers: the initial score of each document.');
  }
  if (deadline !== undefined && typeof deadline !== 'number') {
    throw usageError('providerOptions.bertQe.deadline must be a number of milliseconds.');
  }
  return { explain: explain === true, deadline, scores: scores as readonly number[] | undefined };
}

function inputsOf(
  { type, values }: RerankingCall['documents'],
  scores: readonly number[] | undefined,
): { inputs: InputDocument[]; warnings: RerankingAnswer['warnings'] } {
  if (scores && scores.length !== values.length) {
    throw usageError(
      `providerOptions.bertQe.scores has ${scores.length} numbers for ${values.length} documents; give each one.`,
    );
  }
  const inputs = values.map((value, i) => ({ ...documentOf(value), ...(scores && { score: scores[i] }) }));
  const hasJson = type === 'object' && values.some(({ text }) => typeof text !== 'string');
  return { inputs, warnings: hasJson ? [jsonWarning] : [] };
}

const jsonWarning = {
  type: 'compatibility',
  feature: 'object documents',
  details: 'Objects without a "text" are re-ranked as their JSON.',
} as const;

/** The document of a value: an object with a `text`, and perhaps a `title`, or else the JSON of the object. */
function documentOf(value: string | AnyObject): InputDocument {
  if (typeof value === 'string') return { text: value };
  const { title, text } = value;
  if (typeof text !== 'string') return { text: JSON.stringify(value) };
  return typeof title === 'string' ? { title, text } : { text };
}
