import { compareUtf8 } from '../common/order.js';
import type { Ranking, ScoredDocument } from '../collection/index.js';
import type { InterpolatedRanker, Interpolation } from '../evaluation/index.js';
import { combine, interpolate, scoreBelow } from '../expansion/index.js';
import type { Evidence } from './evidence.js';

/** A query's evidence, and the documents below the re-ranking depth, which keep their order. */
export interface RankedEvidence {
  readonly evidence: Evidence;
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

/** M(q,d); rel(q,d) alone where there is nothing to expand with. */
function combinedScore({ query, expansion }: Evidence, i: number, alpha: number): number {
  return expansion === null ? query[i] : combine(query[i], expansion[i], alpha);
}

function rank(
  { evidence, below }: RankedEvidence,
  score: (evidence: Evidence, document: number) => number,
): Ranking {
  const ranked: ScoredDocument[] = evidence.ids
    .map((id, i) => ({ id, score: score(evidence, i) }))
    .sort((a, b) => b.score - a.score || compareUtf8(a.id, b.id));
  const last = ranked.at(-1)?.score ?? 0;
  below.forEach(({ id }, i) => ranked.push({ id, score: scoreBelow(last, i) }));
  return ranked;
}
