import { type JudgedRanking, NOT_POOLED, POOLED_UNJUDGED } from '../judged-ranking.js';
import type { MeasureArguments } from './measure.js';

/** (1/R) Σ over the relevant documents among the first k of the precision at their rank. */
export function averagePrecision(ranking: JudgedRanking, { rel, at }: MeasureArguments): number {
  const { levels } = ranking;
  const end = Math.min(at, levels.length);
  let found = 0;
  let sum = 0;
  for (let i = 0; i < end; i++) {
    if (levels[i] >= rel) sum += ++found / (i + 1);
  }
  return found === 0 ? 0 : sum / ranking.relevant(rel);
}

/** Keeps the estimate finite where nothing above a document was judged. */
const EPSILON = 0.00001;

/**
 * Inferred AP (Yilmaz and Aslam 2006): the precision above each relevant document is estimated from the judged
 * part of the pool; documents outside the pool count as not relevant.
 */
export function inferredAp(ranking: JudgedRanking, { rel }: MeasureArguments): number {
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
}

/**
 * Binary preference (Buckley and Voorhees 2004), as trec_eval computes it: the mean, over the relevant documents, of
 * the part of the first R judged non-relevant documents that do not rank above it. Only judged documents count.
 */
export function binaryPreference(ranking: JudgedRanking, { rel }: MeasureArguments): number {
  const relevant = ranking.relevant(rel);
  const comparable = Math.min(ranking.nonRelevant(rel), relevant);
  let nonRelevantAbove = 0;
  let sum = 0;
  for (const level of ranking.levels) {
    if (level < 0) continue;
    if (level < rel) nonRelevantAbove++;
    else sum += nonRelevantAbove === 0 ? 1 : 1 - Math.min(nonRelevantAbove, relevant) / comparable;
  }
  return relevant === 0 ? 0 : sum / relevant;
}

/** Discounted cumulative gain over its value for the best possible ranking (Järvelin and Kekäläinen 2002). */
export function ndcg(ranking: JudgedRanking, { at, dcg: form }: MeasureArguments): number {
  const discounted = (level: number, i: number): number =>
    (form === 'log2' ? level : 2 ** level - 1) / Math.log2(i + 2);
  // The judged documents from the highest level down, however many were retrieved.
  let ideal = 0;
  let i = 0;
  for (const [level, documents] of ranking.judged) {
    if (level <= 0) break;
    for (const end = Math.min(i + documents, at); i < end; i++) ideal += discounted(level, i);
  }
  if (ideal === 0) return 0;
  let dcg = 0;
  ranking.levels.subarray(0, Math.min(at, ranking.levels.length)).forEach((level, rank) => {
    if (level > 0) dcg += discounted(level, rank);
  });
  return dcg / ideal;
}

/** The best precision at any rank where at least this recall is reached. */
export function interpolatedPrecision(
  ranking: JudgedRanking,
  { rel, at, trecEval }: MeasureArguments,
): number {
  const exact = at * ranking.relevant(rel);
  // 10.0 rounds the number of relevant documents that make up the recall; 9 nearly always took the ceiling.
  const needed = trecEval === 9 ? Math.trunc(exact + 0.9) : Math.round(exact);
  let found = 0;
  let best = 0;
  ranking.levels.forEach((level, i) => {
    if (level < rel) return;
    found++;
    if (found >= needed) best = Math.max(best, found / (i + 1));
  });
  return best;
}

/** The judged share, as in ir_measures: any document in the qrels is judged, and a short ranking counts by its length. */
export function judgedShare({ levels }: JudgedRanking, { at }: MeasureArguments): number {
  const first = levels.subarray(0, Math.min(at, levels.length));
  if (first.length === 0) return 0;
  return first.reduce((sum, level) => sum + (level === NOT_POOLED ? 0 : 1), 0) / first.length;
}

/** Overlap of the retrieved with the relevant documents, as sets. */
export function overlap(
  ranking: JudgedRanking,
  rel: number,
): { found: number; precision: number; recall: number } {
  const found = ranking.relevantWithin(Infinity, rel);
  if (found === 0) return { found, precision: 0, recall: 0 };
  return { found, precision: found / ranking.levels.length, recall: found / ranking.relevant(rel) };
}
