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
import type { CrossValidated } from './cross-validate.js';
import type { ExperimentFile } from './file/schema.js';
import type { TrainedFold } from './train-folds.js';
import {
  isControl,
  isGiven,
  distinctBy,
  isReranking,
  type RerankingSystem,
  type System,
  type Systems,
} from './systems.js';

/** A system's values over all test queries. */
export interface SystemResult {
  readonly name: string;
  readonly id: string;
  readonly evaluation: Evaluation;
  readonly reranking?: Omit<CrossValidated, 'file'> & {
    /** Cost as the paper counts; absent for controls. */
    readonly paper?: PaperCost;
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
        readonly points: readonly (SystemResult & { readonly kc: number; readonly chunkWords: number })[];
      }
    | undefined;
  /** The baselines that the others are tested against, in order. */
  readonly against: readonly SystemResult[];
  readonly comparisons: readonly Comparison[];
  /** The models that were fine-tuned, by target and fold; absent without training. */
  readonly trained?: readonly TrainedFold[];
}

/**
 * Evaluates every system on the test queries of all folds together, and tests the differences. One run at a time is in
 * memory: of first stages and given rankings as a file, or of a re-ranker, by system id.
 */
export async function evaluateSystems(
  experiment: ExperimentFile,
  systems: Systems,
  runs: ReadonlyMap<string, string | CrossValidated>,
  qrels: Qrels,
  collection: Results['collection'],
): Promise<Results> {
  const measures = parseMeasures(experiment.measures);
  const { measure, tieBreak } = experiment.tuning;
  // Figures show the tuning measures even where the tables do not.
  const measured = [...measures, measure, tieBreak];
  const resultOf = async (system: System | RerankingSystem): Promise<SystemResult> => {
    const { name, id } = system;
    const ranked = runs.get(id)!;
    const { file, ...reranking } = typeof ranked === 'string' ? { file: ranked } : ranked;
    // A query without results counts as 0, so that all systems are evaluated on the same queries.
    const options = { measures: measured, complete: true, label: name };
    const evaluation = evaluate(await readRun(file), qrels, options);
    if (!('cost' in reranking)) return { name, id, evaluation };
    const paper = 'variant' in system && { paper: paperCost(system.variant, system.method) };
    return { name, id, evaluation, reranking: { ...reranking, ...paper } };
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
    kc: point.method.kc,
    chunkWords: point.method.chunkWords,
  }));
  const against = systems.against.map((name) => baselines.find((baseline) => baseline.name === name)!);
  // First stages that were made here have no stars; a given run, other than the initial one, is a system of others.
  const compared = baselines.filter((_, i) => {
    const system = systems.baselines[i];
    return isReranking(system) || isControl(system) || (isGiven(system) && system.id !== systems.initial.id);
  });
  const tested = distinctBy(
    [...compared, ...variants, ...(ablated ? [ablated.of, ...ablated.systems] : [])],
    ({ name }) => name,
  );
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

async function mapInTurn<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const mapped: R[] = [];
  for (const item of items) mapped.push(await map(item));
  return mapped;
}
