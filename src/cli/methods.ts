import { usageError } from '../common/errors.js';
import { omitUndefined } from '../common/omit-undefined.js';
import { hashModel } from '../bert/index.js';
import { Cedr, Nprf, Snrm, trainedMethods, type TrainedMethod } from '../controls/index.js';
import { BIRCH_DEFAULTS, parseVariant } from '../expansion/index.js';
import {
  loadBirch,
  loadReranker,
  modelInputs,
  type LoadedReranker,
  type QueryReranker,
  type RerankerConfig,
  type RunInputs,
} from '../runs/index.js';
import { methodOptions, modelOptions } from './option-table.js';
import {
  choice,
  firstGiven,
  number,
  pick,
  text,
  valueOf,
  without,
  type OptionSpecs,
  type OptionValues,
} from './options.js';
import { rerankerConfig } from './reranker-config.js';

const share = { min: 0, max: 1 } as const;

const birchOptions = {
  'birch-alpha': number(`Birch: share of the initial score (${BIRCH_DEFAULTS.alpha})`, share),
  'birch-beta': number(`Birch: weight of the second-best sentence (${BIRCH_DEFAULTS.beta})`, share),
  'birch-gamma': number(`Birch: weight of the third-best sentence (${BIRCH_DEFAULTS.gamma})`, share),
} as const;

/** Options of the methods whose models are trained with `train --method`. */
const trainedOptions = {
  trained: text('DIR', 'CEDR-KNRM, NPRF-DRMM, SNRM: the model that bert-qe train --method made'),
  'score-share': number(
    "CEDR-KNRM, NPRF-DRMM, SNRM: share of the method's score against the initial score (1, as published)",
    share,
  ),
} as const;

/** The options of `rerank` that choose another method than BERT-QE, and those of the other methods. */
export const otherMethodOptions = {
  method: choice(
    ['bert-qe', 'birch', ...trainedMethods],
    "BERT-QE, or a system that it is compared with: Birch (best three sentences, phase one's model), CEDR-KNRM, NPRF-DRMM, SNRM",
    { default: 'bert-qe' },
  ),
  ...birchOptions,
  ...trainedOptions,
} as const;

const allOptions = { ...modelOptions, ...methodOptions, ...otherMethodOptions };

type Values = OptionValues<typeof allOptions>;
type Method = Values['method'];

/** The methods by the names that messages have, with their options. */
const methods: Readonly<Record<Method, { readonly title: string; readonly options: OptionSpecs }>> = {
  'bert-qe': { title: 'BERT-QE', options: { ...modelOptions, ...methodOptions } },
  birch: {
    title: 'Birch',
    options: { ...pick(allOptions, 'models', 'phase1', 'device', 'precision', 'depth'), ...birchOptions },
  },
  'cedr-knrm': { title: 'CEDR-KNRM', options: { ...trainedOptions, depth: methodOptions.depth } },
  'nprf-drmm': { title: 'NPRF-DRMM', options: { ...trainedOptions, depth: methodOptions.depth } },
  snrm: { title: 'SNRM', options: { ...trainedOptions, depth: methodOptions.depth } },
};

const rerankers = { 'cedr-knrm': Cedr, 'nprf-drmm': Nprf, snrm: Snrm } as const satisfies Record<
  TrainedMethod,
  unknown
>;

/** The method that the options name, ready to be loaded. */
export interface ChosenMethod {
  /** Names the run: BERT-QE-SST, Birch-S, CEDR-KNRM. */
  readonly name: string;
  /** Everything that the results depend on besides queries and documents. */
  readonly inputs: RunInputs;
  /** Present for BERT-QE, which a fleet can run too. */
  readonly config?: RerankerConfig;
  open(signal?: AbortSignal): Promise<LoadedReranker<QueryReranker>>;
}

/** Chooses the method by the options. Options of other methods are refused. */
export async function chosenMethod(options: Values): Promise<ChosenMethod> {
  const { method, device, precision, depth, trained, scoreShare } = options;
  refuseOthers(options);
  if (method === 'bert-qe') {
    const { config, name } = rerankerConfig(options);
    return {
      name,
      config,
      inputs: {
        ...(await modelInputs(config)),
        ...written(options, [...Object.keys(methodOptions), 'precision', 'device']),
        expansion: String(config.expansion),
      },
      open: (signal) => loadReranker(config, signal),
    };
  }
  if (method === 'birch') {
    const { phaseOne } = parseVariant(options.models);
    const model = options.phase1 ?? phaseOne;
    const { birchAlpha: alpha, birchBeta: beta, birchGamma: gamma } = options;
    const weights = omitUndefined({ alpha, beta, gamma });
    return {
      name: options.phase1 === undefined ? `Birch-${phaseOne}` : 'Birch',
      inputs: {
        ...(await modelInputs({ models: { phaseOne: model } })),
        ...written(options, ['method', ...Object.keys(birchOptions), 'depth', 'precision', 'device']),
      },
      open: (signal) => loadBirch({ model, device, precision, depth, ...weights }, signal),
    };
  }
  if (trained === undefined) {
    throw usageError(`--method ${method} needs --trained DIR, made with bert-qe train --method ${method}.`);
  }
  return {
    name: methods[method].title,
    inputs: {
      'trained model': await hashModel(trained),
      ...written(options, ['method', 'depth', 'score-share']),
    },
    open: async () => {
      const load = { model: trained, depth, share: scoreShare ?? 1 };
      const reranker = await rerankers[method].load(load);
      return { reranker, close: () => reranker.close() };
    },
  };
}

function refuseOthers(options: Values): void {
  const { method } = options;
  const own = { ...methods[method].options, ...pick(allOptions, 'method') };
  const name = firstGiven(without(allOptions, own), options);
  if (name === undefined) return;
  const owners = Object.entries(methods).filter(([, owner]) => Object.hasOwn(owner.options, name));
  if (method === 'bert-qe') {
    const names = owners.map(([owner]) => owner).join(' or ');
    throw usageError(`--${name} has no effect without --method ${names}; add that.`);
  }
  const names = owners.map(([, { title }]) => title).join(' and ');
  throw usageError(`--${name} belongs to ${names} and has no effect with --method ${method}; leave it out.`);
}

/** Options by the names that are typed, with their values as text. */
function written(options: Values, names: readonly string[]): RunInputs {
  return Object.fromEntries(names.map((name) => [`--${name}`, String(valueOf(options, name))]));
}
