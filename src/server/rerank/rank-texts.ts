import { sigmoid } from '../../bert/index.js';
import type { Candidate, Evidence } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { RequestContext } from '../http/index.js';
import type { RequestScoring } from '../scheduling/index.js';
import type { Service } from '../service.js';
import { showExplanation, type ShownExplanation } from './explanation.js';
import { runRerank, type RerankInput } from './run-rerank.js';

/** Texts to re-rank, in whatever wire format they came. */
interface TextsInput extends RerankInput {
  readonly documents: readonly string[];
}

/** The ranking that every wire format is made of. */
export interface RankedTexts {
  /** Best first. */
  readonly places: readonly { readonly index: number; readonly score: number }[];
  readonly tokens: number;
  readonly explanation?: ShownExplanation;
}

/** Re-ranks the texts of a request. With `keepOdds`, scores are log-odds. */
export async function rankTexts(
  service: Service,
  context: RequestContext,
  input: TextsInput,
): Promise<RankedTexts> {
  const { reranking, scoring, settings } = await runRerank(service, context, input);
  const { results, explanation, evidence } = reranking;
  const byIndex = new Map(evidence?.candidates.map((candidate) => [candidate.index, candidate]));
  const places = results.map(({ index, relevance }) => ({
    index,
    score: evidence
      ? rawScore(evidence, byIndex.get(index)!, settings.alpha, scoring, input.variant.models)
      : relevance!,
  }));
  // Probabilities that round to the same number are in the order of their log-odds.
  if (input.keepOdds) places.sort((a, b) => b.score - a.score);
  if (!explanation) return { places, tokens: scoring.tokens };
  const byId = new Map(input.documents.map((text, index) => [String(index), { text }]));
  const shown = await showExplanation(explanation, byId, settings, context.signal);
  return { places, tokens: scoring.tokens, explanation: shown };
}

/** The log-odds of a document in which nothing can be relevant: JSON has no -∞. */
const impossible = -1e9;

/**
 * ln(M/(1-M)) of a candidate. M and 1-M are both summed up from the models' logits: 1-M taken from a rounded M would
 * be 0 where probabilities round to 1, and the order would be lost.
 */
function rawScore(
  { query, chunks = [] }: Evidence,
  { passage, isEmpty }: Candidate,
  alpha: number,
  scoring: RequestScoring,
  { phaseOne, phaseThree }: ServedVariant['models'],
): number {
  if (isEmpty) return impossible;
  const odds = scoring.logOdds(phaseOne, { a: query, b: passage! })!;
  if (alpha === 0 || chunks.length === 0) return odds;
  let relevant = (1 - alpha) * sigmoid(odds);
  let irrelevant = (1 - alpha) * sigmoid(-odds);
  for (const { text, weight } of chunks) {
    const chunkOdds = scoring.logOdds(phaseThree, { a: text, b: passage! })!;
    relevant += alpha * weight * sigmoid(chunkOdds);
    irrelevant += alpha * weight * sigmoid(-chunkOdds);
  }
  return Math.log(relevant) - Math.log(irrelevant);
}
