import type { JudgedRanking } from '../judged-ranking.js';
import type { MeasureFamily } from './measure.js';

export const precision: MeasureFamily = {
  name: 'P',
  aliases: ['Precision'],
  help: 'precision: the part of the first k that is relevant; missing ranks count as not relevant',
  at: 'rank',
  trec: { cut: 'P' },
  value: (ranking, { rel, at }) => ranking.relevantWithin(at, rel) / at,
};

export const success: MeasureFamily = {
  name: 'Success',
  help: 'whether anything relevant is among the first k',
  at: 'rank',
  trec: { cut: 'success' },
  value: (ranking, { rel, at }) => (ranking.relevantWithin(at, rel) > 0 ? 1 : 0),
};

/** Precision where it equals recall: at rank R. */
export const rPrecision: MeasureFamily = {
  name: 'Rprec',
  aliases: ['R-precision', 'Rprecision'],
  help: 'precision at rank R, the number of relevant documents',
  trec: { plain: 'Rprec' },
  value(ranking, { rel }) {
    const relevant = ranking.relevant(rel);
    return relevant === 0 ? 0 : ranking.relevantWithin(relevant, rel) / relevant;
  },
};

/** Interpolated precision: the best precision at any rank where at least this recall is reached. */
export const interpolatedPrecision: MeasureFamily = {
  name: 'IPrec',
  help: 'interpolated precision at a recall between 0 and 1',
  at: 'recall',
  trec: { cut: 'iprec_at_recall' },
  value(ranking, { rel, at, trecEval }) {
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
  },
};

export const recall: MeasureFamily = {
  name: 'R',
  aliases: ['Recall'],
  help: 'recall: the part of all relevant documents found among the first k',
  at: 'rank',
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
  trec: { plain: 'recip_rank' },
  value(ranking, { rel, at }) {
    const first = ranking.levels.findIndex((level) => level >= rel);
    return first < 0 || first >= at ? 0 : 1 / (first + 1);
  },
};

/** Overlap of the retrieved with the relevant documents, as sets. */
function overlap(ranking: JudgedRanking, rel: number): { found: number; precision: number; recall: number } {
  const found = ranking.relevantWithin(Infinity, rel);
  if (found === 0) return { found, precision: 0, recall: 0 };
  return { found, precision: found / ranking.levels.length, recall: found / ranking.relevant(rel) };
}

export const setPrecision: MeasureFamily = {
  name: 'SetP',
  help: 'the part of all retrieved documents that is relevant',
  trec: { plain: 'set_P' },
  value: (ranking, { rel }) => overlap(ranking, rel).precision,
};

export const setRecall: MeasureFamily = {
  name: 'SetR',
  help: 'the part of all relevant documents that was retrieved',
  trec: { plain: 'set_recall' },
  value: (ranking, { rel }) => overlap(ranking, rel).recall,
};

export const setF: MeasureFamily = {
  name: 'SetF',
  help: 'harmonic mean of SetP and SetR; beta > 1 weighs recall more (trec_eval calls it x)',
  parameters: ['rel', 'beta'],
  trec: { plain: 'set_F' },
  value(ranking, { rel, beta }) {
    const { found, precision, recall } = overlap(ranking, rel);
    return found === 0 ? 0 : ((beta + 1) * precision * recall) / (beta * precision + recall);
  },
};

export const setAp: MeasureFamily = {
  name: 'SetAP',
  help: 'SetP times SetR: average precision without an order',
  trec: { plain: 'set_map' },
  value(ranking, { rel }) {
    const { found } = overlap(ranking, rel);
    return found === 0 ? 0 : (found * found) / (ranking.levels.length * ranking.relevant(rel));
  },
};
