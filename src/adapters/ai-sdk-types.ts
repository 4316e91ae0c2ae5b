/**
 * The reranking model of the AI SDK, versions 3 and 4 of its specification, which differ in the number only. Written
 * down here so that either version of `@ai-sdk/provider` will do, and none has to be installed; the tests hold it to
 * the real types.
 */

export type JsonValue = null | string | number | boolean | JsonObject | JsonValue[];
export type JsonObject = { [name: string]: JsonValue | undefined };

/** AI SDK 6 speaks v3, AI SDK 7 v4. */
export type SpecificationVersion = 'v3' | 'v4';

/** An object of somebody else's, about which nothing is known. */
export type AnyObject = Readonly<Record<string, unknown>>;

/** Options by provider: those of `bertQe` are read. */
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
  providerMetadata: Record<string, JsonObject>;
  response: { timestamp: Date; modelId: string };
}

/** What `rerank()` of the AI SDK takes as its model. */
export interface RerankingModel<V extends SpecificationVersion> {
  readonly specificationVersion: V;
  readonly provider: string;
  readonly modelId: string;
  doRerank(options: CallOptions): Promise<CallResult>;
}
