import { compareUtf8 } from '../common/order.js';
import type { Ranking, ScoredDocument } from '../collection/index.js';
import type { InterpolatedRanker, Interpolation } from '../evaluation/index.js';
import { combine, interpolate, scoreBelow } from '../expansion/index.js';
import type { QueryScores } from './evidence.js';

/** A query's scores, and the documents below the re-ranking depth, which keep their order. */
export interface RankableQuery {
  readonly scores: QueryScores;
  readonly below: Ranking;
}

/** A ranker of the given queries for any α and β. */
export function rankerOf(byQuery: ReadonlyMap<string, RankableQuery>): InterpolatedRanker {
  return {
    combined: (query, alpha) => rank(byQuery.get(query)!, (scores, i) => combinedScore(scores, i, alpha)),
    interpolated: (query, { alpha, beta }: Interpolation) =>
      rank(byQuery.get(query)!, (scores, i) =>
        interpolate(combinedScore(scores, i, alpha), scores.initial[i], beta),
      ),
  };
}

/** M(q,d), Eq. 5. */
function combinedScore({ query, expansion }: QueryScores, i: number, alpha: number): number {
  return combine(query[i], expansion && expansion[i], alpha);
}

function rank(
  { scores, below }: RankableQuery,
  score: (scores: QueryScores, document: number) => number,
): Ranking {
  return rankBy(scores.ids, (i) => score(scores, i), below);
}

/** The documents by their scores, then those below the re-ranking depth in the order they had. */
export function rankBy(ids: readonly string[], score: (document: number) => number, below: Ranking): Ranking {
  const ranked: ScoredDocument[] = ids
    .map((id, i) => ({ id, score: score(i) }))
    .sort((a, b) => b.score - a.score || compareUtf8(a.id, b.id));
  const last = ranked.at(-1)?.score ?? 0;
  below.forEach(({ id }, i) => ranked.push({ id, score: scoreBelow(last, i) }));
  return ranked;
}
