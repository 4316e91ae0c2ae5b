import type { BertQEOptions } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { RequestContext } from '../http/index.js';
import type { Service } from '../service.js';
import { showExplanation, type ShownExplanation } from './explanation.js';
import { rawScores } from './raw-scores.js';
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
  const outcome = await runRerank(service, context, {
    query,
    documents: texts,
    variant,
    method,
    topK: topN,
    explain: explain || raw,
    keepOdds: raw,
  });
  const { results, explanation } = outcome.reranking;
  const odds = raw ? rawScores(query, variant, explanation!, outcome) : undefined;
  const places = results.map(({ index, id, relevance }) => ({
    index,
    score: odds ? odds.get(id)! : relevance!,
  }));
  // Probabilities that round to the same number are in the order of the log-odds.
  if (odds) places.sort((a, b) => b.score - a.score);
  return {
    places,
    tokens: outcome.scoring.tokens,
    ...(explain
      ? {
          explanation: showExplanation(
            explanation!,
            new Map(texts.map((text, index) => [String(index), { text }])),
            outcome.settings,
          ),
        }
      : {}),
  };
}
