import { controlScore } from '../../controls/index.js';
import { birchScore } from '../../expansion/index.js';
import type { ControlKind } from '../file/system-names.js';

/** The weights of a control's final score, by name. */
export type ControlWeights = Readonly<Record<string, number>>;

/** Weights to choose from, and the final score that they give. */
export interface Weighting {
  readonly grid: readonly ControlWeights[];
  score(parts: readonly number[], initial: number, weights: ControlWeights): number;
  /** The weights in words. */
  describe(weights: ControlWeights): string;
}

const fifths = [0, 0.2, 0.4, 0.6, 0.8, 1];

const birch: Weighting = {
  grid: [0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9].flatMap((alpha) =>
    fifths.flatMap((beta) => fifths.map((gamma) => ({ alpha, beta, gamma }))),
  ),
  score: (parts, initial, { alpha, beta, gamma }) => birchScore(parts, initial, { alpha, beta, gamma }),
  describe: ({ alpha, beta, gamma }) => `${alpha} / ${beta} / ${gamma}`,
};

/**
 * The share of the network's score; 1, its score alone, comes first and so decides between equals. Networks' scores may be a
 * hundred times as large as initial ones, so small shares are among them.
 */
const network: Weighting = {
  grid: [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001].map(
    (share) => ({ share }),
  ),
  score: ([score = 0], initial, { share }) => controlScore(score, initial, share),
  describe: ({ share }) => String(share),
};

export function weightingOf(control: ControlKind): Weighting {
  return control === 'Birch' ? birch : network;
}
