import { readRun, type Qrels } from '../collection/index.js';
import { paperCost, type PaperCost } from '../expansion/index.js';
import {
  compareRuns,
  evaluate,
  parseMeasures,
  type Comparison,
  type Evaluation,
  type Measure,
} from '../evaluation/index.js';
import type { CrossValidatedControl } from './controls/cross-validate.js';
import type { CrossValidated, FoldChoice } from './cross-validate.js';
import type { QueryCost } from './evidence.js';
import type { ExperimentFile } from './file/schema.js';
import type { TrainedFold } from './train-folds.js';
import {
  isControl,
  isGiven,
  isReranking,
  type GridPoint,
  type RerankingSystem,
  type System,
  type Systems,
} from './systems.js';
import type { Timing } from './store/timing.js';

/** A system's values over all test queries. */
export interface SystemResult {
  readonly name: string;
  readonly id: string;
  readonly evaluation: Evaluation;
  /** Present for re-rankers. */
  readonly reranking?: {
    readonly folds: readonly FoldChoice[];
    /** Mean cost of a query as it ran here. */
    readonly cost: QueryCost;
    /** Mean time of the models per query; absent where it is not known. */
    readonly timing?: Timing | undefined;
    /** Cost as the paper counts; absent for controls. */
    readonly paper?: PaperCost;
    /** The weights that each fold chose, in words. */
    readonly chosen: readonly string[];
  };
}

/** The results of an experiment, which tables and figures show. */
export interface Results {
  readonly experiment: ExperimentFile;
  readonly collection: { readonly documents: number; readonly queries: number; readonly folds: number };
  readonly measures: readonly Measure[];
  readonly baselines: readonly SystemResult[];
  readonly variants: readonly SystemResult[];
  readonly ablations: { readonly of: SystemResult; readonly systems: readonly SystemResult[] } | undefined;
  readonly grid:
    | {
        readonly of: string;
        readonly points: readonly (SystemResult & Pick<GridPoint, 'kc' | 'chunkWords'>)[];
      }
    | undefined;
  /** The baselines that the others are tested against, in order. */
  readonly against: readonly SystemResult[];
  readonly comparisons: readonly Comparison[];
  /** The models that were fine-tuned, by target and fold; absent without training. */
  readonly trained?: readonly TrainedFold[];
}

/** The rankings of all systems, by system id: the run files of first stages and given rankings, and re-rankers. */
export interface SystemRuns {
  readonly firstStages: ReadonlyMap<string, string>;
  readonly rerankers: ReadonlyMap<string, CrossValidated>;
  readonly controls: ReadonlyMap<string, CrossValidatedControl>;
}

/**
 * Evaluates every system on the test queries of all folds together, and tests the differences. One run at a time is in
 * memory.
 */
export async function evaluateSystems(
  experiment: ExperimentFile,
  systems: Systems,
  runs: SystemRuns,
  qrels: Qrels,
  collection: Results['collection'],
): Promise<Results> {
  const measures = parseMeasures(experiment.measures);
  const { measure, tieBreak } = experiment.tuning;
  // Figures show the tuning measures even where the tables do not.
  const measured = [...measures, ...parseMeasures([measure, tieBreak])];
  const resultOf = async (system: System | RerankingSystem): Promise<SystemResult> => {
    const reranker = 'variant' in system ? system : undefined;
    const reranked = reranker && runs.rerankers.get(system.id)!;
    const control = runs.controls.get(system.id);
    const run = await readRun((reranked ?? control)?.file ?? runs.firstStages.get(system.id)!);
    // A query without results counts as 0, so that all systems are evaluated on the same queries.
    const evaluation = evaluate(run, qrels, { measures: measured, complete: true, label: system.name });
    return {
      name: system.name,
      id: system.id,
      evaluation,
      ...(reranker &&
        reranked && {
          reranking: {
            folds: reranked.folds,
            cost: reranked.cost,
            timing: reranked.timing,
            paper: paperCost(reranker.variant, reranker.method),
            chosen: reranked.folds.map(({ alpha, beta }) => `${alpha} / ${beta}`),
          },
        }),
      ...(control && {
        reranking: {
          folds: [],
          cost: control.cost,
          timing: control.timing,
          chosen: control.chosen,
        },
      }),
    };
  };
  const { ablations, grid } = systems;
  const baselines = await mapInTurn(systems.baselines, resultOf);
  const variants = await mapInTurn(systems.variants, resultOf);
  const ablated = ablations && {
    of: await resultOf(ablations.of),
    systems: await mapInTurn(ablations.systems, resultOf),
  };
  const points = await mapInTurn(grid?.points ?? [], async (point) => ({
    ...(await resultOf(point)),
    kc: point.kc,
    chunkWords: point.chunkWords,
  }));
  const against = systems.against.map((name) => baselines.find((baseline) => baseline.name === name)!);
  // First stages that were made here have no stars; a given run, other than the initial one, is a system of others.
  const compared = baselines.filter((_, i) => {
    const system = systems.baselines[i];
    return isReranking(system) || isControl(system) || (isGiven(system) && system.id !== systems.initial.id);
  });
  const tested = unique([...compared, ...variants, ...(ablated ? [ablated.of, ...ablated.systems] : [])]);
  const { test, correction } = experiment.significance;
  return {
    experiment,
    collection,
    measures,
    baselines,
    variants,
    ablations: ablated,
    grid: grid && { of: grid.of.name, points },
    against,
    comparisons: compareRuns(tested, against, { test, correction }),
  };
}

/** Maps items one after the other. */
async function mapInTurn<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (const item of items) mapped.push(await map(item));
  return mapped;
}

function unique(systems: readonly SystemResult[]): SystemResult[] {
  return [...new Map(systems.map((system) => [system.name, system])).values()];
}
