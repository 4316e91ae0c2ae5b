import { compareUtf8 } from '../common/order.js';
import type { Ranking, ScoredDocument } from '../collection/index.js';
import type { InterpolatedRanker, Interpolation } from '../evaluation/index.js';
import { combine, interpolate, scoreBelow } from '../expansion/index.js';
import type { QueryScores } from './evidence.js';

/** A query's evidence, and the documents below the re-ranking depth, which keep their order. */
export interface RankedEvidence {
  readonly evidence: QueryScores;
  readonly below: Ranking;
}

/** Rankings for any α and β from evidence; it can rank the queries it is given and no others. */
export function rankerOf(byQuery: ReadonlyMap<string, RankedEvidence>): InterpolatedRanker {
  return {
    combined: (query, alpha) => rank(byQuery.get(query)!, (evidence, i) => combinedScore(evidence, i, alpha)),
    interpolated: (query, { alpha, beta }: Interpolation) =>
      rank(byQuery.get(query)!, (evidence, i) =>
        interpolate(combinedScore(evidence, i, alpha), evidence.initial[i], beta),
      ),
  };
}

/** M(q,d), Eq. 5. */
function combinedScore({ query, expansion }: QueryScores, i: number, alpha: number): number {
  return combine(query[i], expansion && expansion[i], alpha);
}

function rank(
  { evidence, below }: RankedEvidence,
  score: (evidence: QueryScores, document: number) => number,
): Ranking {
  const ranked: ScoredDocument[] = evidence.ids
    .map((id, i) => ({ id, score: score(evidence, i) }))
    .sort((a, b) => b.score - a.score || compareUtf8(a.id, b.id));
  const last = ranked.at(-1)?.score ?? 0;
  below.forEach(({ id }, i) => ranked.push({ id, score: scoreBelow(last, i) }));
  return ranked;
}
