import { NOT_POOLED } from '../judged-ranking.js';
import type { MeasureFamily } from './measure.js';

const count = { summary: 'sum', isCount: true } as const;

export const queries: MeasureFamily = {
  ...count,
  name: 'NumQ',
  help: 'how many queries were evaluated',
  parameters: [],
  trec: { plain: 'num_q' },
  printedPerQuery: false,
  value: () => 1,
};

export const retrieved: MeasureFamily = {
  ...count,
  name: 'NumRet',
  help: 'how many documents were retrieved',
  parameters: [],
  trec: { plain: 'num_ret' },
  value: (ranking) => ranking.levels.length,
};

export const relevant: MeasureFamily = {
  ...count,
  name: 'NumRel',
  help: 'how many documents are relevant',
  trec: { plain: 'num_rel' },
  value: (ranking, { rel }) => ranking.relevant(rel),
};

export const relevantRetrieved: MeasureFamily = {
  ...count,
  name: 'NumRelRet',
  help: 'how many relevant documents were retrieved',
  trec: { plain: 'num_rel_ret' },
  value: (ranking, { rel }) => ranking.relevantWithin(Infinity, rel),
};

/** The judged share, as in ir_measures: any document in the qrels is judged, and a short ranking counts by its length. */
export const judged: MeasureFamily = {
  name: 'Judged',
  help: 'the part of the first k that is in the qrels',
  at: 'optional-rank',
  parameters: [],
  trec: {},
  value({ levels }, { at }) {
    const first = levels.subarray(0, Math.min(at, levels.length));
    if (first.length === 0) return 0;
    return first.reduce((sum, level) => sum + (level === NOT_POOLED ? 0 : 1), 0) / first.length;
  },
};
