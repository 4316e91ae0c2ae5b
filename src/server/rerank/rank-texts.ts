import type { TextPair } from '../../bert/index.js';
import type { BertQEOptions } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { RequestContext } from '../http/index.js';
import type { Service } from '../service.js';
import { showExplanation, type ShownExplanation } from './explanation.js';
import { rawScore } from './raw-scores.js';
import { runRerank } from './run-rerank.js';

/** A re-rank request, in whatever wire format it came. */
export interface TextsRequest {
  readonly query: string;
  readonly texts: readonly string[];
  readonly variant: ServedVariant;
  /** The parameters that the request sets, if any. */
  readonly method: BertQEOptions | undefined;
  readonly topN: number | undefined;
  readonly raw: boolean;
  readonly explain: boolean;
}

/** The ranking that every wire format is made of. */
export interface RankedTexts {
  /** Best first. */
  readonly places: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
  readonly explanation?: ShownExplanation;
}

/** Re-ranks the texts of a request. */
export async function rankTexts(
  service: Service,
  context: RequestContext,
  request: TextsRequest,
): Promise<RankedTexts> {
  const { query, texts, variant, method, topN, raw, explain } = request;
  const { reranking, scoring, settings } = await runRerank(service, context, {
    query,
    documents: texts,
    variant,
    method,
    topK: topN,
    explain,
    keepOdds: raw,
  });
  const { results, explanation, evidence } = reranking;
  const byIndex = new Map(evidence?.candidates.map((candidate) => [candidate.index, candidate]));
  const odds = {
    phaseOne: (pair: TextPair) => scoring.logOdds(variant.models.phaseOne, pair)!,
    phaseThree: (pair: TextPair) => scoring.logOdds(variant.models.phaseThree, pair)!,
  };
  const places = results.map(({ index, relevance }) => ({
    index,
    score: evidence ? rawScore(evidence, byIndex.get(index)!, settings.alpha, odds) : relevance!,
  }));
  // Probabilities that round to the same number are in the order of their log-odds.
  if (raw) places.sort((a, b) => b.score - a.score);
  const byId = () => new Map(texts.map((text, index) => [String(index), { text }]));
  return {
    places,
    tokens: scoring.tokens,
    ...(explanation
      ? { explanation: await showExplanation(explanation, byId(), settings, context.signal) }
      : {}),
  };
}
