import { controlScore } from '../../controls/index.js';
import { choose } from '../../evaluation/index.js';
import { birchScore } from '../../expansion/index.js';
import { crossValidateBy, type CrossValidated, type CrossValidationContext } from '../cross-validate.js';
import type { ControlKind } from '../file/system-names.js';
import { rankBy } from '../ranker.js';
import { describeMachine } from '../store/timing.js';
import type { ControlSystem } from '../systems.js';
import { type ControlScores, controlSource, type ControlSource } from './source.js';
import { crossValidateLatent } from './latent.js';
import { latentModel, modelOfFold } from './train.js';

/** Trains a control in every fold where it is trained, chooses its weights on validation queries and ranks the test queries. */
export async function crossValidateControl(
  system: ControlSystem,
  context: CrossValidationContext,
): Promise<CrossValidated> {
  const { control } = system;
  if (control === 'SNRM' || control === 'SNRM+PRF') {
    return crossValidateLatent(system, await latentModel(context), context);
  }
  const { experiment, folds, initial } = context;
  const { measure, tieBreak } = experiment.tuning;
  const weighting = weightingOf(control);
  const ranked = (query: string, scores: ControlScores, weights: ControlWeights) =>
    rankBy(
      scores.ids,
      (i) => weighting.score(scores.parts[i], scores.initial[i], weights),
      (initial.get(query) ?? []).slice(system.depth),
    );
  const sources: ControlSource[] = [];
  try {
    for (const fold of folds.keys()) {
      const folder = await modelOfFold(system, fold + 1, context);
      const machine = describeMachine('cpu');
      sources.push(await controlSource(system, fold + 1, folder, { ...context, machine }));
    }
    const { choices, ...validated } = await crossValidateBy(
      system,
      sources,
      { ...context, queriesAtATime: 1 },
      {
        inputs: ['control 2', [measure, tieBreak, weighting.grid]],
        choose: (validation, scores) => {
          const rankerOf = (weights: ControlWeights) => (query: string) =>
            ranked(query, scores.get(query)!, weights);
          const { parameters } = choose(validation, weighting.grid, rankerOf, { measure, tieBreak });
          return {
            choice: weighting.describe(parameters),
            rank: (query, found) => ranked(query, found, parameters),
          };
        },
      },
    );
    return { ...validated, folds: [], chosen: choices };
  } finally {
    for (const source of sources) await source.close();
  }
}

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
