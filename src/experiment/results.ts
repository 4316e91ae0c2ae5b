import { readRun, type Qrels } from '../collection/index.js';
import { paperCost, type PaperCost, windowSpans } from '../expansion/index.js';
import {
  compareRuns,
  evaluate,
  parseMeasures,
  type Comparison,
  type Evaluation,
  type Measure,
} from '../evaluation/index.js';
import type { CrossValidated, FoldChoice } from './cross-validate.js';
import type { QueryCost } from './evidence.js';
import type { ExperimentFile } from './file/schema.js';
import type { TrainedFold } from './train-folds.js';
import type { GridPoint, Reranker, System, Systems } from './systems.js';
import type { Timing } from './work/timing.js';

/** A system, measured over all test queries. */
export interface SystemResult {
  readonly name: string;
  readonly id: string;
  readonly evaluation: Evaluation;
  /** Of re-rankers. */
  readonly reranking?: {
    readonly folds: readonly FoldChoice[];
    /** As it ran here, per query. */
    readonly cost: QueryCost;
    /** What the models took per query, where that was measured. */
    readonly timing?: Timing | undefined;
    /** As the paper counts. */
    readonly paper: PaperCost;
  };
}

/** Everything that tables and figures show. */
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
  /** Models that were fine-tuned, size by size and fold by fold; absent where none was. */
  readonly trained?: readonly TrainedFold[];
}

/** What ranking gave, by system id: the run files of first stages, and re-rankers. */
export interface Ranked {
  readonly firstStages: ReadonlyMap<string, string>;
  readonly rerankers: ReadonlyMap<string, CrossValidated>;
}

/**
 * Measures every system on the test queries of all folds together, and tests the differences. Runs are read one
 * after the other and not kept: only their values are.
 */
export async function measure(
  experiment: ExperimentFile,
  systems: Systems,
  ranked: Ranked,
  qrels: Qrels,
  collection: Results['collection'],
): Promise<Results> {
  const measures = parseMeasures(experiment.measures);
  const { measure, tieBreak } = experiment.tuning;
  // Figures show what was tuned for, in the tables or not.
  const measured = [...measures, ...parseMeasures([measure, tieBreak])];
  const resultOf = async (system: System | Reranker): Promise<SystemResult> => {
    const reranked = 'variant' in system ? ranked.rerankers.get(system.id)! : undefined;
    const run = await readRun(reranked?.file ?? ranked.firstStages.get(system.id)!);
    // A query without results counts as zero, so that all systems are measured on the same queries.
    const evaluation = evaluate(run, qrels, { measures: measured, complete: true, label: system.name });
    return {
      name: system.name,
      id: system.id,
      evaluation,
      ...(reranked && {
        reranking: {
          folds: reranked.folds,
          cost: reranked.cost,
          timing: reranked.timing,
          paper: paperCostOf(system as Reranker),
        },
      }),
    };
  };
  const { ablations, grid } = systems;
  const baselines = await oneByOne(systems.baselines, resultOf);
  const variants = await oneByOne(systems.variants, resultOf);
  const ablated = ablations && {
    of: await resultOf(ablations.of),
    systems: await oneByOne(ablations.systems, resultOf),
  };
  const points = await oneByOne(grid?.points ?? [], async (point) => ({
    ...(await resultOf(point)),
    kc: point.kc,
    chunkWords: point.chunkWords,
  }));
  const against = systems.against.map((name) => baselines.find((baseline) => baseline.name === name)!);
  // Re-ranking baselines too: whether they are above the first stage is part of the story.
  const rerankers = baselines.filter(({ reranking }) => reranking);
  const tested = unique([...rerankers, ...variants, ...(ablated ? [ablated.of, ...ablated.systems] : [])]);
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

async function oneByOne<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) made.push(await make(item));
  return made;
}

function paperCostOf({ variant, method }: Reranker): PaperCost {
  const { kd, kc, depth, chunkWords, passageWords } = method;
  const shape = { length: chunkWords, overlap: Math.floor(chunkWords / 2) };
  return paperCost(variant, { depth, kd, kc, chunksPerPassage: windowSpans(passageWords, shape).length });
}

function unique(systems: readonly SystemResult[]): SystemResult[] {
  return [...new Map(systems.map((system) => [system.name, system])).values()];
}
