import { sigmoid } from '../../bert/index.js';
import type { BertQEOptions, Candidate, Evidence } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { RequestContext } from '../http/index.js';
import type { Service } from '../service.js';
import { showExplanation, type ShownExplanation } from './explanation.js';
import { runRerank } from './run-rerank.js';

/** A re-rank request, in whatever wire format it came. */
export interface TextsRequest {
  readonly query: string;
  readonly texts: readonly string[];
  readonly variant: ServedVariant;
  /** The parameters that the request sets, if any. */
  readonly method?: BertQEOptions | undefined;
  readonly topN?: number | undefined;
  readonly raw?: boolean | undefined;
  readonly explain?: boolean | undefined;
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
  { query, texts, variant, method, topN, raw, explain }: TextsRequest,
): Promise<RankedTexts> {
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
  const { phaseOne, phaseThree } = variant.models;
  const ofQuery = (a: string, b: string) => scoring.logOdds(phaseOne, { a, b })!;
  const ofChunk = (a: string, b: string) => scoring.logOdds(phaseThree, { a, b })!;
  const places = results.map(({ index, relevance }) => ({
    index,
    score: evidence
      ? rawScore(evidence, byIndex.get(index)!, settings.alpha, { ofQuery, ofChunk })
      : relevance!,
  }));
  // Probabilities that round to the same number are in the order of their log-odds.
  if (raw) places.sort((a, b) => b.score - a.score);
  if (!explanation) return { places, tokens: scoring.tokens };
  const byId = new Map(texts.map((text, index) => [String(index), { text }]));
  const shown = await showExplanation(explanation, byId, settings, context.signal);
  return { places, tokens: scoring.tokens, explanation: shown };
}

/** The log-odds of a document in which nothing can be relevant: JSON has no -∞. */
const impossible = -1e9;

/** The log-odds that a model gave two texts. */
type LogOdds = (a: string, b: string) => number;

/**
 * ln(M/(1-M)) of a candidate. M and 1-M are both summed up from the models' logits: 1-M taken from a rounded M would
 * be 0 where probabilities round to 1, and the order would be lost.
 */
function rawScore(
  { query, chunks = [] }: Evidence,
  { passage, isEmpty }: Candidate,
  alpha: number,
  { ofQuery, ofChunk }: Readonly<Record<'ofQuery' | 'ofChunk', LogOdds>>,
): number {
  if (isEmpty) return impossible;
  const odds = ofQuery(query, passage!);
  if (alpha === 0 || chunks.length === 0) return odds;
  let relevant = (1 - alpha) * sigmoid(odds);
  let irrelevant = (1 - alpha) * sigmoid(-odds);
  for (const { text, weight } of chunks) {
    const chunkOdds = ofChunk(text, passage!);
    relevant += alpha * weight * sigmoid(chunkOdds);
    irrelevant += alpha * weight * sigmoid(-chunkOdds);
  }
  return Math.log(relevant) - Math.log(irrelevant);
}
