import { compareUtf8 } from '../common/order.js';
import type { Ranking, ScoredDocument } from '../collection/index.js';
import type { Interpolation } from '../evaluation/index.js';
import { combine, interpolate, scoreBelow } from '../expansion/index.js';
import type { QueryScores } from './evidence.js';

/** The ranking by M(q,d) alone; documents below the re-ranking depth keep their order. */
export function combinedRanking(scores: QueryScores, alpha: number, below: Ranking): Ranking {
  return rankBy(scores.ids, (i) => combinedScore(scores, i, alpha), below);
}

export function finalRanking(scores: QueryScores, { alpha, beta }: Interpolation, below: Ranking): Ranking {
  const score = (i: number) => interpolate(combinedScore(scores, i, alpha), scores.initial[i], beta);
  return rankBy(scores.ids, score, below);
}

/** M(q,d), Eq. 5. */
function combinedScore({ query, expansion }: QueryScores, i: number, alpha: number): number {
  return combine(query[i], expansion && expansion[i], alpha);
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
