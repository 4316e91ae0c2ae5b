import { join } from 'node:path';
import { hashJson } from '../common/hash.js';
import { writeRun, type Fold, type Qrels, type QueryRanking } from '../collection/index.js';
import { throwIfAborted } from '../common/errors.js';
import { tuneInterpolation, Validation, type Interpolation } from '../evaluation/index.js';
import { evidenceSource, type EvidenceContext, type QueryCost, type EvidenceSource } from './evidence.js';
import type { Index } from '../retrieval/index.js';
import type { ExperimentFile } from './file/schema.js';
import { rankerOf, type RankableQuery } from './ranker.js';
import type { RerankingSystem } from './systems.js';
import type { ProgressTracker } from './progress.js';
import type { Manifest } from './store/manifest.js';
import { sumOfTimings, type Timing } from './store/timing.js';

/** The α and β that a fold chose, with its validation values by measure. */
export interface FoldChoice extends Interpolation {
  readonly validation: Readonly<Record<string, number>>;
}

/** A re-ranker's ranking of all test queries. */
export interface CrossValidated {
  /** Path of the run. */
  readonly file: string;
  readonly folds: readonly FoldChoice[];
  /** Mean cost of a tested query. */
  readonly cost: QueryCost;
  /** Mean time of the models per tested query; absent where it is not known of all queries. */
  readonly timing?: Timing | undefined;
}

export interface CrossValidationContext extends EvidenceContext {
  /** The experiment file, from which relative paths start. */
  readonly file: string;
  readonly experiment: ExperimentFile;
  readonly documents: Index;
  readonly folds: readonly Fold[];
  readonly qrels: Qrels;
  readonly qrelsKey: string;
  readonly manifest: Manifest;
  readonly tracker: ProgressTracker;
  /** Queries that are scored at a time: more than one where models are on several machines (1). */
  readonly queriesAtATime?: number;
}

interface StepResult {
  readonly folds: readonly FoldChoice[];
  readonly cost: QueryCost;
}

/** Chooses α and β on each fold's validation queries, and ranks the fold's test queries with them. */
export async function crossValidate(
  system: RerankingSystem,
  context: CrossValidationContext,
  /** Model work of a missing query. */
  workPerQuery: number,
): Promise<CrossValidated> {
  const { experiment, folds, manifest, initial } = context;
  const { tuning, measures } = experiment;
  const sources = await Promise.all(folds.map((_, i) => evidenceSource(system, i + 1, context)));
  const output = join('runs', `${system.id}.run`);
  const file = join(manifest.folder, output);
  const step = {
    name: `run ${system.name}`,
    inputs: [
      'cross-validation 1',
      folds.map(({ valid, test }, i) => [
        valid.map((query) => [query, sources[i].key(query)]),
        test.map((query) => [query, sources[i].key(query)]),
      ]),
      hashJson([...initial].map(([query, ranking]) => [query, ranking.map(({ id }) => id)])),
      [context.qrelsKey, tuning, measures, system.fixedAlpha ?? null, system.id],
    ],
    outputs: [output],
  };
  const { folds: choices, cost } = await manifest.run(step, async (): Promise<StepResult> => {
    await scoreQueries(system, sources, context, workPerQuery);
    const done: FoldChoice[] = [];
    const costs: QueryCost[] = [];
    const rankings: QueryRanking[] = [];
    for (const [i, fold] of folds.entries()) {
      const choice = await tuneFold(system, i, sources[i], context);
      const tested = await load(fold.test, sources[i], system, context);
      const ranker = rankerOf(tested);
      for (const [query, { scores }] of tested) {
        rankings.push({ query, ranking: ranker.interpolated(query, choice) });
        costs.push(scores.cost);
      }
      done.push(choice);
    }
    await writeRun(file, rankings, { tag: system.id });
    return { folds: done, cost: meanCost(costs) };
  });
  // Times are no part of the step's result, since another run would measure others.
  const timings: (Timing | undefined)[] = [];
  for (const [i, { test }] of folds.entries()) {
    for (const query of test) timings.push(await sources[i].timing(query));
  }
  const total = sumOfTimings(timings);
  const timing = total && { ...total, seconds: total.seconds / timings.length };
  return { file, folds: choices, cost, timing };
}

/** The number of a system's queries without scores in the store. */
export async function missingQueries(
  system: RerankingSystem,
  context: CrossValidationContext,
): Promise<number> {
  const missing = new Set<string>();
  for (const [i, { valid, test }] of context.folds.entries()) {
    const source = await evidenceSource(system, i + 1, context);
    for (const query of [...valid, ...test]) {
      const key = source.key(query);
      if (!missing.has(key) && !context.store.hasRecord(key)) missing.add(key);
    }
  }
  return missing.size;
}

/** Scores all missing queries of all folds. This is the slow part, and a later run finds it done. */
async function scoreQueries(
  system: RerankingSystem,
  sources: readonly EvidenceSource[],
  { folds, tracker, queriesAtATime = 1 }: CrossValidationContext,
  workPerQuery: number,
): Promise<void> {
  const all = folds.flatMap(({ valid, test }, i) =>
    [...valid, ...test].map((query) => ({ query, source: sources[i] })),
  );
  const distinct = [...new Map(all.map((each) => [each.source.key(each.query), each])).values()];
  // All loops take from one list. Where one fails, the others end with the query that they are at.
  const waiting = distinct.values();
  let done = 0;
  let hasFailed = false;
  const scoreNext = async (): Promise<void> => {
    for (const { query, source } of waiting) {
      if (hasFailed) return;
      throwIfAborted(tracker.signal);
      if (!source.isKnown(query)) {
        await source.get(query, tracker.signal);
        tracker.addWork(workPerQuery);
      }
      tracker.update(system.name, ++done, distinct.length);
    }
  };
  const loops = Array.from({ length: queriesAtATime }, () =>
    scoreNext().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(loops)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

/** Tunes α and β of a fold. Judgements and scores of other queries than the validation queries are not accessible. */
async function tuneFold(
  system: RerankingSystem,
  i: number,
  source: EvidenceSource,
  context: CrossValidationContext,
): Promise<FoldChoice> {
  const { experiment, folds, qrels } = context;
  const { alphas, ...tuning } = experiment.tuning;
  const validation = Validation.of(folds[i], qrels, `fold ${i + 1}`);
  const ranker = rankerOf(await load(validation.queries, source, system, context));
  const { parameters } = tuneInterpolation(validation, ranker, {
    ...tuning,
    alphas: system.fixedAlpha === undefined ? alphas : [system.fixedAlpha],
  });
  const { summary } = validation.evaluate(
    (query) => ranker.interpolated(query, parameters),
    experiment.measures,
  );
  return { ...parameters, validation: Object.fromEntries(summary) };
}

async function load(
  queries: readonly string[],
  source: EvidenceSource,
  { method }: RerankingSystem,
  { initial }: CrossValidationContext,
): Promise<Map<string, RankableQuery>> {
  const loaded = new Map<string, RankableQuery>();
  for (const query of queries) {
    const below = (initial.get(query) ?? []).slice(method.depth);
    loaded.set(query, { scores: await source.get(query), below });
  }
  return loaded;
}

export function meanCost(costs: readonly QueryCost[]): QueryCost {
  const mean = (of: (cost: QueryCost) => number): number =>
    costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
  return {
    pairs: mean(({ pairs }) => pairs),
    tokens: mean(({ tokens }) => tokens),
    flops: mean(({ flops }) => flops),
  };
}
