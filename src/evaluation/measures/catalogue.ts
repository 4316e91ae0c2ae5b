import { ap, gmap, inferredAp } from './average-precision.js';
import { bpref, gmBpref } from './bpref.js';
import { judged, queries, relevant, relevantRetrieved, retrieved } from './counts.js';
import { ndcg } from './dcg.js';
import type { MeasureFamily } from './measure.js';
import {
  interpolatedPrecision,
  precision,
  recall,
  reciprocalRank,
  rPrecision,
  success,
  setAp,
  setF,
  setPrecision,
  setRecall,
} from './precision-recall.js';

/** All measures, in the order in which lists show them. */
export const families: readonly MeasureFamily[] = [
  precision,
  ndcg,
  ap,
  reciprocalRank,
  recall,
  rPrecision,
  bpref,
  success,
  judged,
  interpolatedPrecision,
  inferredAp,
  gmap,
  gmBpref,
  setPrecision,
  setRecall,
  setF,
  setAp,
  queries,
  retrieved,
  relevant,
  relevantRetrieved,
];

/** The measures of the paper: P@20, nDCG@20, MAP@100 and MAP@1K. */
export const DEFAULT_MEASURES: readonly string[] = ['P@20', 'nDCG@20', 'AP@100', 'AP@1000'];

const elevenPoints = Array.from({ length: 11 }, (_, tenth) => `IPrec@${tenth / 10}`);
const standardCutoffs = [5, 10, 15, 20, 30, 100, 200, 500, 1000];

/** Names that stand for several measures. */
export const nicknames: ReadonlyMap<string, readonly string[]> = new Map([
  ['paper', DEFAULT_MEASURES],
  [
    // trec_eval's default output.
    'official',
    [
      'NumQ',
      'NumRet',
      'NumRel',
      'NumRelRet',
      'AP',
      'GMAP',
      'Rprec',
      'bpref',
      'RR',
      ...elevenPoints,
      ...standardCutoffs.map((k) => `P@${k}`),
    ],
  ],
]);
