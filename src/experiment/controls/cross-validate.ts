import { join } from 'node:path';
import { writeRun, type QueryRanking } from '../../collection/index.js';
import { throwIfAborted } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import { choose, Validation } from '../../evaluation/index.js';
import { type CrossValidationContext, meanCost } from '../cross-validate.js';
import type { QueryCost } from '../evidence.js';
import { rankBy } from '../ranker.js';
import { describeMachine, sumOfTimings, type Timing } from '../store/timing.js';
import type { ControlSystem } from '../systems.js';
import { controlSource, type ControlScores, type ControlSource } from './source.js';
import { modelOfFold } from './train.js';
import { type ControlWeights, weightingOf } from './weights.js';

/** A control's ranking of all test queries. */
export interface CrossValidatedControl {
  /** Path of the run. */
  readonly file: string;
  /** The weights that each fold chose, in words. */
  readonly chosen: readonly string[];
  readonly cost: QueryCost;
  readonly timing?: Timing | undefined;
}

interface StepResult {
  readonly chosen: readonly string[];
  readonly cost: QueryCost;
}

/** Trains a control in every fold where it is trained, chooses its weights on validation queries and ranks the test queries. */
export async function crossValidateControl(
  system: ControlSystem,
  context: CrossValidationContext,
): Promise<CrossValidatedControl> {
  const { experiment, folds, manifest, initial, tracker } = context;
  const { measure, tieBreak } = experiment.tuning;
  const machine = describeMachine('cpu');
  const sources: ControlSource[] = [];
  try {
    for (const fold of folds.keys()) {
      const folder = await modelOfFold(system, fold + 1, context);
      sources.push(await controlSource(system, fold + 1, folder, { ...context, machine }));
    }
    const output = join('runs', `${system.id}.run`);
    const file = join(manifest.folder, output);
    const weighting = weightingOf(system.control);
    const step = {
      name: `run ${system.name}`,
      inputs: [
        'control 1',
        folds.map(({ valid, test }, i) =>
          [valid, test].map((ids) => ids.map((id) => [id, sources[i].key(id)])),
        ),
        hashJson([...initial].map(([query, ranking]) => [query, ranking.map(({ id }) => id)])),
        [context.qrelsKey, measure, tieBreak, weighting.grid, system.id],
      ],
      outputs: [output],
    };
    const total = folds.reduce((sum, { valid, test }) => sum + valid.length + test.length, 0);
    let done = 0;
    const load = async (
      ids: readonly string[],
      source: ControlSource,
    ): Promise<Map<string, ControlScores>> => {
      const loaded = new Map<string, ControlScores>();
      for (const id of ids) {
        throwIfAborted(tracker.signal);
        loaded.set(id, await source.get(id, tracker.signal));
        tracker.update(system.name, ++done, total);
      }
      return loaded;
    };
    const ranked = (query: string, { ids, initial: first, parts }: ControlScores, weights: ControlWeights) =>
      rankBy(
        ids,
        (i) => weighting.score(parts[i], first[i], weights),
        (initial.get(query) ?? []).slice(system.depth),
      );
    const result = await manifest.run(step, async (): Promise<StepResult> => {
      const chosen: string[] = [];
      const costs: QueryCost[] = [];
      const rankings: QueryRanking[] = [];
      for (const [i, fold] of folds.entries()) {
        const validation = Validation.of(fold, context.qrels, `fold ${i + 1}`);
        const valid = await load(validation.queries, sources[i]);
        const { parameters } = choose(
          validation,
          weighting.grid,
          (weights) => (query) => ranked(query, valid.get(query)!, weights),
          { measure, tieBreak },
        );
        for (const [query, scores] of await load(fold.test, sources[i])) {
          rankings.push({ query, ranking: ranked(query, scores, parameters) });
          costs.push(scores.cost);
        }
        chosen.push(weighting.describe(parameters));
      }
      await writeRun(file, rankings, { tag: system.id });
      return { chosen, cost: meanCost(costs) };
    });
    // Times are no part of the step's result, since another run would measure others.
    const timings: (Timing | undefined)[] = [];
    for (const [i, { test }] of folds.entries()) {
      for (const query of test) timings.push((await sources[i].get(query, tracker.signal)).timing);
    }
    const sum = sumOfTimings(timings);
    return { file, ...result, timing: sum && { ...sum, seconds: sum.seconds / timings.length } };
  } finally {
    for (const source of sources) await source.close();
  }
}
