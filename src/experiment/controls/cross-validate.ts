import { choose } from '../../evaluation/index.js';
import { type CrossValidationContext, type CrossValidated, crossValidateBy } from '../cross-validate.js';
import { rankBy } from '../ranker.js';
import { describeMachine } from '../store/timing.js';
import type { ControlSystem } from '../systems.js';
import { controlSource, type ControlScores, type ControlSource } from './source.js';
import { modelOfFold } from './train.js';
import { type ControlWeights, weightingOf } from './weights.js';

/** Trains a control in every fold where it is trained, chooses its weights on validation queries and ranks the test queries. */
export async function crossValidateControl(
  system: ControlSystem,
  context: CrossValidationContext,
): Promise<CrossValidated> {
  const { experiment, folds, initial } = context;
  const { measure, tieBreak } = experiment.tuning;
  const weighting = weightingOf(system.control);
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
