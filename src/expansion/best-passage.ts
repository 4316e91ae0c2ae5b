import type { Candidate } from './candidate.js';
import type { QueryScoring } from './scoring.js';

/**
 * Chooses the passage that stands for each document: the one most relevant to the query, the first among equals.
 * Documents whose best passage is known are passed over.
 */
export async function chooseBestPassages(
  query: string,
  candidates: readonly Candidate[],
  scoring: QueryScoring,
): Promise<void> {
  const open = candidates.filter((candidate) => candidate.passage === undefined);
  for (const round of scoring.rounds('bestPassage', open, ({ passages }) => passages.length)) {
    const pairs = round.flatMap(({ passages }) => passages.map((passage) => ({ a: query, b: passage })));
    const scores = await scoring.score('bestPassage', pairs);
    let from = 0;
    for (const candidate of round) {
      const ofCandidate = scores.subarray(from, (from += candidate.passages.length));
      candidate.passage = candidate.passages[indexOfMax(ofCandidate)];
    }
  }
}

function indexOfMax(values: Float64Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
