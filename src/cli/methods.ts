import { hashModel } from '../bert/index.js';
import { Cedr, Nprf, type TrainedMethod, trainedMethods } from '../controls/index.js';
import {
  loadBirch,
  loadReranker,
  modelInputs,
  type QueryReranker,
  type RerankerConfig,
  type RunInputs,
} from '../runs/index.js';
import { birchConfig, birchOptions } from './birch.js';
import { methodOptions, modelOptions } from './option-table.js';
import { usageError, type OptionSpecs, type OptionValues } from './options.js';
import { rerankerConfig } from './reranker-config.js';

/** Options of the methods whose models are trained with `train --method`. */
const trainedOptions = {
  trained: {
    type: 'string',
    value: 'DIR',
    help: 'CEDR-KNRM, NPRF-DRMM: the model that bert-qe train --method made',
  },
  'score-share': {
    type: 'number',
    min: 0,
    max: 1,
    help: "CEDR-KNRM, NPRF-DRMM: share of the method's score against the initial score (1, as published)",
  },
} as const satisfies OptionSpecs;

/** The options of `rerank` that choose another method than BERT-QE, and those of the other methods. */
export const otherMethodOptions = {
  method: {
    type: 'string',
    choices: ['bert-qe', 'birch', ...trainedMethods],
    default: 'bert-qe',
    help: "BERT-QE, or a system that it is compared with: Birch (best three sentences, phase one's model), CEDR-KNRM, NPRF-DRMM",
  },
  ...birchOptions,
  ...trainedOptions,
} as const satisfies OptionSpecs;

type Values = OptionValues<typeof otherMethodOptions & typeof modelOptions & typeof methodOptions>;
type Method = Values['method'];

/** The names of methods as messages have them. */
const titles: Readonly<Record<Method, string>> = {
  'bert-qe': 'BERT-QE',
  birch: 'Birch',
  'cedr-knrm': 'CEDR-KNRM',
  'nprf-drmm': 'NPRF-DRMM',
};

const allMethods = Object.keys(titles) as Method[];
const usesModels: readonly Method[] = ['bert-qe', 'birch'];

/** The methods that an option belongs to; options that are not listed belong to all. */
const owners: Readonly<Record<string, readonly Method[]>> = {
  ...ownedBy(['bert-qe'], methodOptions, modelOptions),
  ...ownedBy(usesModels, {
    models: true,
    phase1: true,
    device: true,
    precision: true,
  }),
  depth: allMethods,
  ...ownedBy(['birch'], birchOptions),
  ...ownedBy(trainedMethods, trainedOptions),
};

function ownedBy(
  methods: readonly Method[],
  ...options: readonly object[]
): Record<string, readonly Method[]> {
  return Object.fromEntries(options.flatMap(Object.keys).map((name) => [name, methods]));
}

/** The method that the options name, ready to be loaded. */
export interface ChosenMethod {
  /** Names the run: BERT-QE-SST, Birch-S, CEDR-KNRM. */
  readonly name: string;
  /** Everything that the results depend on besides queries and documents. */
  readonly inputs: RunInputs;
  /** Present for BERT-QE, which a fleet can run too. */
  readonly config?: RerankerConfig;
  open(signal?: AbortSignal): Promise<{ readonly reranker: QueryReranker; close(): Promise<void> }>;
}

/** Chooses the method by the options. Options of other methods are refused. */
export async function chosenMethod(options: Values): Promise<ChosenMethod> {
  const { method } = options;
  refuseOthers(options);
  if (method === 'bert-qe') {
    const { config, name } = rerankerConfig(options);
    return {
      name,
      config,
      inputs: {
        ...(await modelInputs(config.models)),
        ...written(options, [...Object.keys(methodOptions), 'precision', 'device']),
        expansion: String(config.expansion),
      },
      open: async (signal) => {
        const { bertQe, close } = await loadReranker(config, signal);
        return { reranker: bertQe, close };
      },
    };
  }
  if (method === 'birch') {
    const { config, name } = birchConfig(options);
    return {
      name,
      inputs: {
        ...(await modelInputs({ phaseOne: config.model })),
        ...written(options, ['method', ...Object.keys(birchOptions), 'depth', 'precision', 'device']),
      },
      open: async (signal) => {
        const { birch, close } = await loadBirch(config, signal);
        return { reranker: birch, close };
      },
    };
  }
  const { trained, depth, 'score-share': share = 1 } = options;
  if (trained === undefined) {
    throw usageError(`--method ${method} needs --trained DIR, made with bert-qe train --method ${method}.`);
  }
  return {
    name: titles[method],
    inputs: {
      'trained model': await hashModel(trained),
      ...written(options, ['method', 'depth', 'score-share']),
    },
    open: async () => {
      const reranker = await loadTrained(method, { model: trained, depth, share });
      return { reranker, close: () => reranker.close() };
    },
  };
}

function loadTrained(method: TrainedMethod, options: { model: string; depth: number; share: number }) {
  switch (method) {
    case 'cedr-knrm':
      return Cedr.load(options);
    case 'nprf-drmm':
      return Nprf.load(options);
  }
}

function refuseOthers(options: Values): void {
  const { method } = options;
  const specs: OptionSpecs = { ...modelOptions, ...methodOptions, ...otherMethodOptions };
  const values: Readonly<Record<string, unknown>> = options;
  for (const [name, { default: usual, type }] of Object.entries(specs)) {
    const methods = owners[name] ?? allMethods;
    if (methods.includes(method)) continue;
    if (values[name] === (usual ?? (type === 'boolean' ? false : undefined))) continue;
    if (method === 'bert-qe') {
      throw usageError(`--${name} has no effect without --method ${methods.join(' or ')}; add that.`);
    }
    const names = methods.map((owner) => titles[owner]).join(' and ');
    throw usageError(
      `--${name} belongs to ${names} and has no effect with --method ${method}; leave it out.`,
    );
  }
}

/** Options as they are written. */
function written(options: Values, names: readonly string[]): RunInputs {
  const values: Readonly<Record<string, unknown>> = options;
  return Object.fromEntries(names.map((name) => [`--${name}`, String(values[name])]));
}
