import type { MeasureFamily } from './measure.js';

export const recall: MeasureFamily = {
  name: 'R',
  aliases: ['Recall'],
  help: 'recall: the part of all relevant documents found among the first k',
  at: 'rank',
  parameters: ['rel'],
  trec: { cut: 'recall' },
  value(ranking, { rel, at }) {
    const relevant = ranking.relevant(rel);
    return relevant === 0 ? 0 : ranking.relevantWithin(at, rel) / relevant;
  },
};

export const reciprocalRank: MeasureFamily = {
  name: 'RR',
  aliases: ['MRR'],
  help: 'one over the rank of the first relevant document',
  at: 'optional-rank',
  parameters: ['rel'],
  trec: { plain: 'recip_rank' },
  value(ranking, { rel, at }) {
    const first = ranking.levels.findIndex((level) => level >= rel);
    return first < 0 || first >= at ? 0 : 1 / (first + 1);
  },
};
