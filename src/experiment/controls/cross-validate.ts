import { controlScore } from '../../controls/index.js';
import { birchScore } from '../../expansion/index.js';
import {
  crossValidateControlBy,
  type CrossValidated,
  type CrossValidationContext,
} from '../cross-validate.js';
import { rankBy } from '../ranker.js';
import type { ControlSystem } from '../systems.js';
import { controlSource, type ControlSource } from './source.js';
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
  const { grid, score, describe } = control === 'Birch' ? birch : network;
  const sources: ControlSource[] = [];
  try {
    for (const fold of context.folds.keys()) {
      const folder = await modelOfFold(system, fold + 1, context);
      sources.push(await controlSource(system, fold + 1, folder, context));
    }
    return await crossValidateControlBy(system, sources, context, {
      version: 'control 2',
      grid,
      rank: (query, { ids, parts, initial }, weights) =>
        rankBy(
          ids,
          (i) => score(parts[i], initial[i], weights),
          (context.initial.get(query) ?? []).slice(system.depth),
        ),
      describe,
    });
  } finally {
    for (const source of sources) await source.close();
  }
}

/** The weights of a control's final score, by name. */
type ControlWeights = Readonly<Record<string, number>>;

/** Weights to choose from, and the final score that they give. */
interface Weighting {
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
