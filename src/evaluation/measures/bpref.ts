import type { JudgedRanking } from '../judged-ranking.js';
import type { MeasureArguments, MeasureFamily } from './measure.js';

/**
 * Binary preference (Buckley and Voorhees 2004), as trec_eval computes it: the mean, over the relevant documents, of
 * the part of the first R judged non-relevant documents that do not rank above it. Only judged documents count.
 */
function binaryPreference(ranking: JudgedRanking, { rel }: MeasureArguments): number {
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

export const bpref: MeasureFamily = {
  name: 'bpref',
  help: 'binary preference: robust to unjudged documents',
  trec: { plain: 'bpref' },
  value: binaryPreference,
};

export const gmBpref: MeasureFamily = {
  name: 'GMbpref',
  help: 'bpref, averaged over queries by the geometric mean',
  trec: { plain: 'gm_bpref' },
  summary: 'geometric-mean',
  printedPerQuery: false,
  value: binaryPreference,
};
