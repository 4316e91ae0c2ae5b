import { sigmoid, type TextPair } from '../../bert/index.js';
import type { Candidate, Evidence } from '../../expansion/index.js';

/** The log-odds of a document in which nothing can be relevant: JSON has no -∞. */
const impossible = -1e9;

/** The log-odds that the models gave, by phase. */
export interface LogOdds {
  phaseOne(pair: TextPair): number;
  phaseThree(pair: TextPair): number;
}

/**
 * ln(M/(1-M)) of a candidate. M and 1-M are both summed up from the models' logits: 1-M taken from a rounded M would
 * be 0 where probabilities round to 1, and the order would be lost.
 */
export function rawScore(
  { query, chunks = [] }: Evidence,
  { passage, isEmpty }: Candidate,
  alpha: number,
  odds: LogOdds,
): number {
  if (isEmpty) return impossible;
  const ofQuery = odds.phaseOne({ a: query, b: passage! });
  if (alpha === 0 || chunks.length === 0) return ofQuery;
  let relevant = (1 - alpha) * sigmoid(ofQuery);
  let irrelevant = (1 - alpha) * sigmoid(-ofQuery);
  for (const { text, weight } of chunks) {
    const ofChunk = odds.phaseThree({ a: text, b: passage! });
    relevant += alpha * weight * sigmoid(ofChunk);
    irrelevant += alpha * weight * sigmoid(-ofChunk);
  }
  return Math.log(relevant) - Math.log(irrelevant);
}
