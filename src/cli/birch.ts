import { BIRCH_DEFAULTS, parseVariant } from '../expansion/index.js';
import type { BirchConfig } from '../runs/index.js';
import type { methodOptions, modelOptions } from './option-table.js';
import type { OptionSpecs, OptionValues } from './options.js';

/** The weights of Birch. */
export const birchOptions = {
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

/** Birch as the options have it, and its name (Birch-S). */
export function birchConfig(options: Values): { config: BirchConfig; name: string } {
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
