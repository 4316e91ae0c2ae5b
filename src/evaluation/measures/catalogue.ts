import type { MeasureFamily } from './measure.js';
import {
  averagePrecision,
  binaryPreference,
  inferredAp,
  interpolatedPrecision,
  judgedShare,
  ndcg,
  overlap,
} from './values.js';

const count = { summary: 'sum', isCount: true } as const;

/** All measures, in the order in which lists show them. */
export const families: readonly MeasureFamily[] = [
  {
    name: 'P',
    aliases: ['Precision'],
    help: 'precision: the part of the first k that is relevant; missing ranks count as not relevant',
    at: 'rank',
    trec: { cut: 'P' },
    value: (ranking, { rel, at }) => ranking.relevantWithin(at, rel) / at,
  },
  {
    name: 'nDCG',
    help: "normalised discounted cumulative gain, level / log2(rank + 1); dcg='exp-log2' takes 2^level - 1 for level",
    at: 'optional-rank',
    parameters: ['dcg'],
    trec: { plain: 'ndcg', cut: 'ndcg_cut' },
    value: ndcg,
  },
  {
    name: 'AP',
    aliases: ['MAP'],
    help: 'average precision (MAP when averaged); AP@k stops at rank k but still divides by all relevant documents',
    at: 'optional-rank',
    trec: { plain: 'map', cut: 'map_cut' },
    value: averagePrecision,
  },
  {
    name: 'RR',
    aliases: ['MRR'],
    help: 'one over the rank of the first relevant document',
    at: 'optional-rank',
    trec: { plain: 'recip_rank' },
    value(ranking, { rel, at }) {
      const first = ranking.levels.findIndex((level) => level >= rel);
      return first < 0 || first >= at ? 0 : 1 / (first + 1);
    },
  },
  {
    name: 'R',
    aliases: ['Recall'],
    help: 'recall: the part of all relevant documents found among the first k',
    at: 'rank',
    trec: { cut: 'recall' },
    value(ranking, { rel, at }) {
      const relevant = ranking.relevant(rel);
      return relevant === 0 ? 0 : ranking.relevantWithin(at, rel) / relevant;
    },
  },
  {
    name: 'Rprec',
    aliases: ['R-precision', 'Rprecision'],
    help: 'precision at rank R, the number of relevant documents',
    trec: { plain: 'Rprec' },
    value(ranking, { rel }) {
      const relevant = ranking.relevant(rel);
      return relevant === 0 ? 0 : ranking.relevantWithin(relevant, rel) / relevant;
    },
  },
  {
    name: 'bpref',
    help: 'binary preference: robust to unjudged documents',
    trec: { plain: 'bpref' },
    value: binaryPreference,
  },
  {
    name: 'Success',
    help: 'whether anything relevant is among the first k',
    at: 'rank',
    trec: { cut: 'success' },
    value: (ranking, { rel, at }) => (ranking.relevantWithin(at, rel) > 0 ? 1 : 0),
  },
  {
    name: 'Judged',
    help: 'the part of the first k that is in the qrels',
    at: 'optional-rank',
    parameters: [],
    trec: {},
    value: judgedShare,
  },
  {
    name: 'IPrec',
    help: 'interpolated precision at a recall between 0 and 1',
    at: 'recall',
    trec: { cut: 'iprec_at_recall' },
    value: interpolatedPrecision,
  },
  {
    name: 'infAP',
    help: 'average precision estimated from incomplete judgements (level -1: pooled, not judged)',
    trec: { plain: 'infAP' },
    value: inferredAp,
  },
  {
    name: 'GMAP',
    help: 'average precision, averaged over queries by the geometric mean',
    trec: { plain: 'gm_map' },
    summary: 'geometric-mean',
    printedPerQuery: false,
    value: averagePrecision,
  },
  {
    name: 'GMbpref',
    help: 'bpref, averaged over queries by the geometric mean',
    trec: { plain: 'gm_bpref' },
    summary: 'geometric-mean',
    printedPerQuery: false,
    value: binaryPreference,
  },
  {
    name: 'SetP',
    help: 'the part of all retrieved documents that is relevant',
    trec: { plain: 'set_P' },
    value: (ranking, { rel }) => overlap(ranking, rel).precision,
  },
  {
    name: 'SetR',
    help: 'the part of all relevant documents that was retrieved',
    trec: { plain: 'set_recall' },
    value: (ranking, { rel }) => overlap(ranking, rel).recall,
  },
  {
    name: 'SetF',
    help: 'harmonic mean of SetP and SetR; beta > 1 weighs recall more (trec_eval calls it x)',
    parameters: ['rel', 'beta'],
    trec: { plain: 'set_F' },
    value(ranking, { rel, beta }) {
      const { found, precision, recall } = overlap(ranking, rel);
      return found === 0 ? 0 : ((beta + 1) * precision * recall) / (beta * precision + recall);
    },
  },
  {
    name: 'SetAP',
    help: 'SetP times SetR: average precision without an order',
    trec: { plain: 'set_map' },
    value(ranking, { rel }) {
      const { found } = overlap(ranking, rel);
      return found === 0 ? 0 : (found * found) / (ranking.levels.length * ranking.relevant(rel));
    },
  },
  {
    ...count,
    name: 'NumQ',
    help: 'how many queries were evaluated',
    parameters: [],
    trec: { plain: 'num_q' },
    printedPerQuery: false,
    value: () => 1,
  },
  {
    ...count,
    name: 'NumRet',
    help: 'how many documents were retrieved',
    parameters: [],
    trec: { plain: 'num_ret' },
    value: (ranking) => ranking.levels.length,
  },
  {
    ...count,
    name: 'NumRel',
    help: 'how many documents are relevant',
    trec: { plain: 'num_rel' },
    value: (ranking, { rel }) => ranking.relevant(rel),
  },
  {
    ...count,
    name: 'NumRelRet',
    help: 'how many relevant documents were retrieved',
    trec: { plain: 'num_rel_ret' },
    value: (ranking, { rel }) => ranking.relevantWithin(Infinity, rel),
  },
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
