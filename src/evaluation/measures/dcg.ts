import type { JudgedRanking } from '../judged-ranking.js';
import type { MeasureArguments, MeasureFamily } from './measure.js';

/** Discounted cumulative gain over its value for the best possible ranking (Järvelin and Kekäläinen 2002). */
export const ndcg: MeasureFamily = {
  name: 'nDCG',
  help: "normalised discounted cumulative gain, level / log2(rank + 1); dcg='exp-log2' takes 2^level - 1 for level",
  at: 'optional-rank',
  parameters: ['dcg'],
  trec: { plain: 'ndcg', cut: 'ndcg_cut' },
  value(ranking, args) {
    const ideal = idealDcg(ranking, args);
    return ideal === 0 ? 0 : dcg(ranking, args) / ideal;
  },
};

function dcg({ levels }: JudgedRanking, args: MeasureArguments): number {
  const end = Math.min(args.at, levels.length);
  let sum = 0;
  for (let i = 0; i < end; i++) {
    if (levels[i] > 0) sum += gain(levels[i], args) / Math.log2(i + 2);
  }
  return sum;
}

/** The judged documents from the highest level down, however many were retrieved. */
function idealDcg({ judged }: JudgedRanking, args: MeasureArguments): number {
  let i = 0;
  let sum = 0;
  for (const [level, documents] of judged) {
    if (level <= 0) break;
    for (const end = Math.min(i + documents, args.at); i < end; i++)
      sum += gain(level, args) / Math.log2(i + 2);
  }
  return sum;
}

function gain(level: number, { dcg }: MeasureArguments): number {
  return dcg === 'log2' ? level : 2 ** level - 1;
}
