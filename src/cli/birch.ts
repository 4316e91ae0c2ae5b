import { BIRCH_DEFAULTS, parseVariant } from '../expansion/index.js';
import type { BirchConfig } from '../runs/index.js';
import { methodOptions, modelOptions } from './option-table.js';
import { usageError, type OptionSpecs, type OptionValues } from './options.js';

/** The options of `rerank` that choose Birch instead of BERT-QE, and its weights. */
export const birchOptions = {
  method: {
    type: 'string',
    choices: ['bert-qe', 'birch'],
    default: 'bert-qe',
    help: "BERT-QE, or Birch: each document's best three sentences, scored by phase one's model",
  },
  'birch-alpha': {
    type: 'number',
    min: 0,
    max: 1,
    help: `Birch: share of the initial score (${BIRCH_DEFAULTS.alpha})`,
  },
  'birch-beta': {
    type: 'number',
    min: 0,
    max: 1,
    help: `Birch: weight of the second-best sentence (${BIRCH_DEFAULTS.beta})`,
  },
  'birch-gamma': {
    type: 'number',
    min: 0,
    max: 1,
    help: `Birch: weight of the third-best sentence (${BIRCH_DEFAULTS.gamma})`,
  },
} as const satisfies OptionSpecs;

type Values = OptionValues<typeof birchOptions & typeof modelOptions & typeof methodOptions>;

/** The options that mean something to BERT-QE alone. */
const { depth: _, ...otherOptions } = methodOptions;
const bertQeOptions: OptionSpecs = {
  ...otherOptions,
  phase2: modelOptions.phase2,
  phase3: modelOptions.phase3,
  'best-passage': modelOptions['best-passage'],
};

const weightNames = ['birch-alpha', 'birch-beta', 'birch-gamma'] as const;

/** Birch as the options have it, and its name (Birch-S); undefined for BERT-QE. Options of the other are refused. */
export function birchConfig(options: Values): { config: BirchConfig; name: string } | undefined {
  if (options.method !== 'birch') {
    const weight = weightNames.find((name) => options[name] !== undefined);
    if (weight !== undefined) throw usageError(`--${weight} has no effect without --method birch; add that.`);
    return undefined;
  }
  const values: Readonly<Record<string, unknown>> = options;
  for (const [name, { default: usual, type }] of Object.entries(bertQeOptions)) {
    if (values[name] !== (usual ?? (type === 'boolean' ? false : undefined))) {
      throw usageError(`--${name} belongs to BERT-QE and has no effect with --method birch; leave it out.`);
    }
  }
  const { phaseOne } = parseVariant(options.models);
  const { 'birch-alpha': alpha, 'birch-beta': beta, 'birch-gamma': gamma, phase1 } = options;
  return {
    name: phase1 === undefined ? `Birch-${phaseOne}` : 'Birch',
    config: {
      model: phase1 ?? phaseOne,
      device: options.device,
      precision: options.precision,
      depth: options.depth,
      alpha: alpha ?? BIRCH_DEFAULTS.alpha,
      beta: beta ?? BIRCH_DEFAULTS.beta,
      gamma: gamma ?? BIRCH_DEFAULTS.gamma,
    },
  };
}
