/**
 * The types of a reranking model of the AI SDK, for versions 3 and 4 of its specification, which differ in the number
 * only. They are written down here so that `@ai-sdk/provider` need not be installed. The tests check them against the
 * real types.
 */

export type JsonValue = null | string | number | boolean | SdkJsonObject | JsonValue[];
export type SdkJsonObject = { [name: string]: JsonValue | undefined };

/** AI SDK 6 takes v3, AI SDK 7 takes v3 and v4. */
export type SpecificationVersion = 'v3' | 'v4';

/** An object of the caller, with unknown fields. */
export type AnyObject = Readonly<Record<string, unknown>>;

/** Options by provider. Those of `bertQe` are read. */
export type ProviderOptions = Readonly<Record<string, AnyObject>>;

export interface CallOptions {
  documents: { type: 'text'; values: string[] } | { type: 'object'; values: AnyObject[] };
  query: string;
  topN?: number | undefined;
  abortSignal?: AbortSignal | undefined;
  providerOptions?: ProviderOptions | undefined;
  headers?: Record<string, string | undefined> | undefined;
}

export interface CallWarning {
  type: 'compatibility';
  feature: string;
  details?: string;
}

export interface CallResult {
  /** Best first. */
  ranking: { index: number; relevanceScore: number }[];
  warnings: CallWarning[];
  providerMetadata: Record<string, SdkJsonObject>;
  response: { timestamp: Date; modelId: string };
}

/** A model for `rerank()` of the AI SDK. */
export interface RerankingModel<V extends SpecificationVersion> {
  readonly specificationVersion: V;
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: CallOptions): Promise<CallResult>;
}
