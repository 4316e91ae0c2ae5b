import type { TextPair } from '../../bert/index.js';
import type { BertQEOptions } from '../../expansion/index.js';
import type { Variant } from '../catalogue/index.js';
import type { RequestLife } from '../http/index.js';
import type { Service } from '../service.js';
import { showExplanation, type ShownExplanation } from './explanation.js';
import { perform } from './perform.js';
import { rawScore } from './raw-scores.js';

/** What the shapes of request have in common. */
export interface RankRequest {
  readonly query: string;
  readonly texts: readonly string[];
  readonly variant: Variant;
  /** What the request sets, if anything. */
  readonly method: BertQEOptions | undefined;
  readonly topN: number | undefined;
  readonly raw: boolean;
  readonly explain: boolean;
}

/** What the shapes of answer are made of. */
export interface Ranked {
  /** Best first. */
  readonly places: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
  readonly explanation?: ShownExplanation;
}

/** Re-ranks the texts of a request. */
export async function rank(service: Service, life: RequestLife, request: RankRequest): Promise<Ranked> {
  const { query, texts, variant, method, topN, raw, explain } = request;
  const performed = await perform(service, life, {
    query,
    documents: texts,
    variant,
    method,
    topK: topN,
    explain,
    keepOdds: raw,
  });
  const { results, explanation, evidence } = performed.reranking;
  const { scoring, settings } = performed;
  const byIndex = new Map(evidence?.candidates.map((candidate) => [candidate.index, candidate]));
  const odds = {
    phaseOne: (pair: TextPair) => scoring.logOdds(variant.engines.phaseOne, pair)!,
    phaseThree: (pair: TextPair) => scoring.logOdds(variant.engines.phaseThree, pair)!,
  };
  const places = results.map(({ index, relevance }) => ({
    index,
    score: evidence ? rawScore(evidence, byIndex.get(index)!, settings.alpha, odds) : relevance!,
  }));
  // Probabilities that round to the same number are in the order of the log-odds.
  if (raw) places.sort((a, b) => b.score - a.score);
  return {
    places,
    tokens: performed.scoring.tokens,
    ...(explain
      ? {
          explanation: showExplanation(
            explanation!,
            new Map(texts.map((text, index) => [String(index), { text }])),
            performed.settings,
          ),
        }
      : {}),
  };
}
