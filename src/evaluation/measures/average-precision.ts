import { type JudgedRanking, NOT_POOLED, POOLED_UNJUDGED } from '../judged-ranking.js';
import type { MeasureArguments, MeasureFamily } from './measure.js';

/** (1/R) Σ over the relevant documents among the first k of the precision at their rank. */
function averagePrecision(ranking: JudgedRanking, { rel, at }: MeasureArguments): number {
  const { levels } = ranking;
  const end = Math.min(at, levels.length);
  let found = 0;
  let sum = 0;
  for (let i = 0; i < end; i++) {
    if (levels[i] >= rel) sum += ++found / (i + 1);
  }
  return found === 0 ? 0 : sum / ranking.relevant(rel);
}

export const ap: MeasureFamily = {
  name: 'AP',
  aliases: ['MAP'],
  help: 'average precision (MAP when averaged); AP@k stops at rank k but still divides by all relevant documents',
  at: 'optional-rank',
  trec: { plain: 'map', cut: 'map_cut' },
  value: averagePrecision,
};

export const gmap: MeasureFamily = {
  name: 'GMAP',
  help: 'average precision, averaged over queries by the geometric mean',
  trec: { plain: 'gm_map' },
  summary: 'geometric-mean',
  printedPerQuery: false,
  value: averagePrecision,
};

/** Keeps the estimate finite where nothing above a document was judged. */
const EPSILON = 0.00001;

/**
 * Inferred AP (Yilmaz and Aslam 2006): the precision above each relevant document is estimated from the judged
 * part of the pool; documents outside the pool count as not relevant.
 */
export const inferredAp: MeasureFamily = {
  name: 'infAP',
  help: 'average precision estimated from incomplete judgements (level -1: pooled, not judged)',
  trec: { plain: 'infAP' },
  value(ranking, { rel }) {
    let relevant = 0;
    let nonRelevant = 0;
    let unjudged = 0;
    let sum = 0;
    ranking.levels.forEach((level, above) => {
      if (level === NOT_POOLED) return;
      if (level === POOLED_UNJUDGED) unjudged++;
      else if (level < rel) nonRelevant++;
      else if (above === 0) {
        relevant++;
        sum += 1;
      } else {
        const pooledAbove = (relevant + nonRelevant + unjudged) / above;
        const relevantAmongJudged = (relevant + EPSILON) / (relevant + nonRelevant + 2 * EPSILON);
        sum += 1 / (above + 1) + (above / (above + 1)) * pooledAbove * relevantAmongJudged;
        relevant++;
      }
    });
    return relevant === 0 ? 0 : sum / ranking.relevant(rel);
  },
};
