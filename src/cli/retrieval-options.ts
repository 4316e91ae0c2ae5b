import { BertQeError } from '../common/errors.js';
import { omitUndefined } from '../common/omit-undefined.js';
import {
  Bm25,
  Bo1,
  DivergenceFeedback,
  Dph,
  KL,
  QueryLikelihood,
  Rm3,
  Searcher,
  type FeedbackModel,
  type Index,
  type WeightingModel,
} from '../retrieval/index.js';
import type { OptionSpecs, OptionValues } from './options.js';

/** The options with which every command that retrieves names its first stage. */
export const retrievalOptions = {
  model: { type: 'string', choices: ['dph', 'bm25', 'ql'], default: 'dph', help: 'weighting model' },
  expand: { type: 'string', choices: ['none', 'kl', 'bo1', 'rm3'], default: 'none', help: 'feedback model' },
  k1: { type: 'number', min: 0, help: 'BM25: saturation of the term frequency (0.9)' },
  b: { type: 'number', min: 0, max: 1, help: 'BM25: length normalisation (0.4)' },
  mu: { type: 'number', min: 1e-9, help: 'QL: Dirichlet prior (1000)' },
  'length-norm': {
    type: 'string',
    choices: ['exact', 'lucene'],
    help: 'BM25 and QL: lengths as they are, or rounded as Lucene stores them (exact)',
  },
  'feedback-documents': {
    type: 'integer',
    min: 1,
    help: 'feedback: documents taken as relevant (KL, Bo1 3; RM3 10)',
  },
  'feedback-terms': { type: 'integer', min: 1, help: 'feedback: terms taken from them (10)' },
  'rocchio-beta': {
    type: 'number',
    min: 0,
    help: "KL, Bo1: Rocchio's β instead of the parameter-free weights",
  },
  'original-weight': { type: 'number', min: 0, max: 1, help: 'RM3: weight of the original query (0.5)' },
} as const satisfies OptionSpecs;

export type RetrievalValues = OptionValues<typeof retrievalOptions>;

/** Which options belong to which model: naming one without its model is a mistake, not a silent no-op. */
const belongsTo = {
  k1: ['bm25'],
  b: ['bm25'],
  mu: ['ql'],
  'length-norm': ['bm25', 'ql'],
  'feedback-documents': ['kl', 'bo1', 'rm3'],
  'feedback-terms': ['kl', 'bo1', 'rm3'],
  'rocchio-beta': ['kl', 'bo1'],
  'original-weight': ['rm3'],
} as const;

export function makeSearcher(index: Index, values: RetrievalValues): Searcher {
  return new Searcher(index, makeModels(values));
}

/** The weighting and feedback models that the options name. */
export function makeModels(values: RetrievalValues): { model: WeightingModel; feedback?: FeedbackModel } {
  const chosen = new Set<string>([values.model, values.expand]);
  for (const [name, models] of Object.entries(belongsTo)) {
    if (values[name as keyof typeof belongsTo] !== undefined && !models.some((model) => chosen.has(model))) {
      throw new BertQeError('usage', `--${name} has no effect here; it belongs to ${models.join(', ')}.`);
    }
  }
  const feedback = makeFeedback(values);
  return { model: makeModel(values), ...(feedback ? { feedback } : {}) };
}

function makeModel(values: RetrievalValues): WeightingModel {
  const { model, k1, b, mu } = values;
  const lengthNorm = values['length-norm'];
  if (model === 'bm25') return new Bm25(omitUndefined({ k1, b, lengthNorm }));
  if (model === 'ql') return new QueryLikelihood(omitUndefined({ mu, lengthNorm }));
  return new Dph();
}

function makeFeedback(values: RetrievalValues): FeedbackModel | undefined {
  const shared = { documents: values['feedback-documents'], terms: values['feedback-terms'] };
  const divergence = omitUndefined({ ...shared, rocchioBeta: values['rocchio-beta'] });
  switch (values.expand) {
    case 'none':
      return undefined;
    case 'kl':
      return new DivergenceFeedback(KL, divergence);
    case 'bo1':
      return new DivergenceFeedback(Bo1, divergence);
    case 'rm3':
      return new Rm3(omitUndefined({ ...shared, originalWeight: values['original-weight'] }));
  }
}
