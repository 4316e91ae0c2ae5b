import type { JudgedRanking } from '../judged-ranking.js';
import type { MeasureFamily } from './measure.js';

/** Overlap of the retrieved with the relevant documents, as sets. */
function overlap(ranking: JudgedRanking, rel: number): { found: number; precision: number; recall: number } {
  const found = ranking.relevantWithin(Infinity, rel);
  if (found === 0) return { found, precision: 0, recall: 0 };
  return { found, precision: found / ranking.levels.length, recall: found / ranking.relevant(rel) };
}

export const setPrecision: MeasureFamily = {
  name: 'SetP',
  help: 'the part of all retrieved documents that is relevant',
  at: 'none',
  parameters: ['rel'],
  trec: { plain: 'set_P' },
  value: (ranking, { rel }) => overlap(ranking, rel).precision,
};

export const setRecall: MeasureFamily = {
  name: 'SetR',
  help: 'the part of all relevant documents that was retrieved',
  at: 'none',
  parameters: ['rel'],
  trec: { plain: 'set_recall' },
  value: (ranking, { rel }) => overlap(ranking, rel).recall,
};

export const setF: MeasureFamily = {
  name: 'SetF',
  help: 'harmonic mean of SetP and SetR; beta > 1 weighs recall more (trec_eval calls it x)',
  at: 'none',
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
  at: 'none',
  parameters: ['rel'],
  trec: { plain: 'set_map' },
  value(ranking, { rel }) {
    const { found } = overlap(ranking, rel);
    return found === 0 ? 0 : (found * found) / (ranking.levels.length * ranking.relevant(rel));
  },
};
