import { chooseBestPassages } from './best-passage.js';
import { compareTied, type Candidate } from './candidate.js';
import type { QueryScoring } from './scoring.js';

/** Eq. 2: rel(q,d), the model's probability for the query and the document's best passage. */
export async function scoreDocuments(
  query: string,
  candidates: readonly Candidate[],
  scoring: QueryScoring,
): Promise<void> {
  // Under a deadline, some documents with both scores are worth more than all with only the first.
  for (const some of scoring.slices(candidates)) {
    await chooseBestPassages(query, some, scoring);
    const open = some.filter(({ passage, queryScore }) => passage !== undefined && queryScore === undefined);
    for (const round of scoring.rounds('phaseOne', open, () => 1)) {
      const scores = await scoring.score(
        'phaseOne',
        round.map(({ passage }) => ({ a: query, b: passage! })),
      );
      round.forEach((candidate, i) => (candidate.queryScore = scores[i]));
    }
  }
}

/** Phase one's ranking: by rel(q,d) alone, without the initial scores. Every score must be known. */
export function rankByQueryScore(candidates: readonly Candidate[]): Candidate[] {
  return [...candidates].sort((a, b) => b.queryScore! - a.queryScore! || compareTied(a, b));
}
