import type { Explanation } from '../../expansion/index.js';
import type { ServedVariant } from '../catalogue/index.js';
import type { RerankOutcome } from './run-rerank.js';

/** The log-odds of a document in which nothing can be relevant: JSON has no -∞. */
const impossible = -1e9;

/**
 * ln(M/(1-M)) of every explained document, by id. M and 1-M are both summed up from the models' logits: 1-M taken
 * from a rounded M would be 0 where probabilities round to 1, and the order would be lost.
 */
export function rawScores(
  query: string,
  variant: ServedVariant,
  explanation: Explanation,
  { scoring, settings }: RerankOutcome,
): Map<string, number> {
  const { phaseOne, phaseThree } = variant.models;
  const { chunks } = explanation;
  const alpha = chunks.length === 0 ? 0 : settings.alpha;
  const raw = new Map<string, number>();
  for (const { id, passage } of explanation.documents) {
    const asked = passage ? scoring.logOdds(phaseOne, { a: query, b: passage }) : undefined;
    if (asked === undefined) {
      raw.set(id, impossible);
      continue;
    }
    if (alpha === 0) {
      raw.set(id, asked);
      continue;
    }
    let relevant = (1 - alpha) * sigmoid(asked);
    let irrelevant = (1 - alpha) * sigmoid(-asked);
    for (const { text, weight } of chunks) {
      const odds = scoring.logOdds(phaseThree, { a: text, b: passage! })!;
      relevant += alpha * weight * sigmoid(odds);
      irrelevant += alpha * weight * sigmoid(-odds);
    }
    raw.set(id, Math.log(relevant) - Math.log(irrelevant));
  }
  return raw;
}

function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
