import { hashJson } from '../common/hash.js';
import { writeRun, type Fold, type Qrels, type QueryRanking, type Ranking } from '../collection/index.js';
import { throwIfAborted } from '../common/errors.js';
import { choose, tuneInterpolation, Validation, type Interpolation } from '../evaluation/index.js';
import { evidenceSource, type EvidenceContext, type QueryCost, type ScoreSource } from './evidence.js';
import type { Index } from '../retrieval/index.js';
import type { ExperimentFile } from './file/schema.js';
import { combinedRanking, finalRanking } from './ranker.js';
import { distinctBy, type RerankingSystem, type System } from './systems.js';
import type { ProgressTracker } from './progress.js';
import type { Manifest } from './store/manifest.js';
import { sumOfTimings, type Timing } from './store/timing.js';

/** The α and β that a fold chose, with its validation values by measure. */
export interface FoldChoice extends Interpolation {
  readonly validation: Readonly<Record<string, number>>;
}

/** A re-ranker's ranking of all test queries. */
export interface CrossValidated {
  readonly file: string;
  /** Empty for controls. */
  readonly folds: readonly FoldChoice[];
  /** The choices of the folds, in words. */
  readonly chosen: readonly string[];
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

/** Chooses α and β on each fold's validation queries, and ranks the fold's test queries with them. */
export async function crossValidate(
  system: RerankingSystem,
  context: CrossValidationContext,
  /** Model work of a missing query. */
  workPerQuery: number,
): Promise<CrossValidated> {
  const { tuning, measures } = context.experiment;
  const { alphas, ...objective } = tuning;
  const sources = await Promise.all(context.folds.map((_, i) => evidenceSource(system, i + 1, context)));
  const below = (query: string): Ranking => (context.initial.get(query) ?? []).slice(system.method.depth);
  const { choices, ...validated } = await crossValidateBy(
    system,
    sources,
    context,
    {
      inputs: ['cross-validation 1', [tuning, measures, system.fixedAlpha ?? null]],
      choose: (validation, scores) => {
        const interpolated = (query: string, weights: Interpolation) =>
          finalRanking(scores.get(query)!, weights, below(query));
        const combined = (query: string, alpha: number) =>
          combinedRanking(scores.get(query)!, alpha, below(query));
        const { parameters } = tuneInterpolation(
          validation,
          { combined, interpolated },
          {
            ...objective,
            alphas: system.fixedAlpha === undefined ? alphas : [system.fixedAlpha],
          },
        );
        const { summary } = validation.evaluate((query) => interpolated(query, parameters), measures);
        return {
          choice: { ...parameters, validation: Object.fromEntries(summary) },
          rank: (query, found) => finalRanking(found, parameters, below(query)),
        };
      },
    },
    workPerQuery,
  );
  return { ...validated, folds: choices, chosen: choices.map(({ alpha, beta }) => `${alpha} / ${beta}`) };
}

/** The part of a cross-validation that systems differ in. */
interface Tuning<Scores, Choice> {
  /** All that choices depend on besides scores, the initial ranking and judgements: a version, then settings. */
  readonly inputs: readonly [string, readonly unknown[]];
  /** Chooses by the scores of a fold's validation queries; judgements of others are not accessible. */
  choose(
    validation: Validation,
    scores: ReadonlyMap<string, Scores>,
  ): { readonly choice: Choice; rank(query: string, scores: Scores): Ranking };
}

/** Ranks every fold's test queries as its validation queries choose, in a step of the manifest. */
async function crossValidateBy<Scores extends { readonly cost: QueryCost }, Choice>(
  system: System,
  sources: readonly ScoreSource<Scores>[],
  context: CrossValidationContext,
  { inputs: [version, settings], choose }: Tuning<Scores, Choice>,
  workPerQuery = 0,
): Promise<{ file: string; choices: readonly Choice[]; cost: QueryCost; timing: Timing | undefined }> {
  const { folds, manifest, initial, qrels, qrelsKey } = context;
  const inputs = [
    version,
    folds.map(({ valid, test }, i) =>
      [valid, test].map((queries) => queries.map((query) => [query, sources[i].key(query)])),
    ),
    hashJson([...initial].map(([query, ranking]) => [query, ranking.map((document) => document.id)])),
    [qrelsKey, ...settings, system.id],
  ];
  const { file, result } = await manifest.runOf(system, inputs, async (path) => {
    const validations = folds.map((fold, i) => Validation.of(fold, qrels, `fold ${i + 1}`));
    await scoreQueries(system.name, sources, context, workPerQuery);
    const made: Choice[] = [];
    const costs: QueryCost[] = [];
    const rankings: QueryRanking[] = [];
    for (const [i, fold] of folds.entries()) {
      const { choice, rank } = choose(validations[i], await load(validations[i].queries, sources[i]));
      for (const [query, scores] of await load(fold.test, sources[i])) {
        rankings.push({ query, ranking: rank(query, scores) });
        costs.push(scores.cost);
      }
      made.push(choice);
    }
    await writeRun(path, rankings, { tag: system.id });
    return { folds: made as readonly Choice[], cost: meanCost(costs) };
  });
  // Times are no part of the step's result, since another run would measure others.
  const timings: (Timing | undefined)[] = [];
  for (const [i, { test }] of folds.entries()) {
    for (const query of test) timings.push(await sources[i].timing(query));
  }
  const total = sumOfTimings(timings);
  const timing = total && { ...total, seconds: total.seconds / timings.length };
  return { file, choices: result.folds, cost: result.cost, timing };
}

/** Settings of a control to choose from, and the ranking that each gives. */
interface SettingGrid<Scores, Setting> {
  readonly version: string;
  /** A single one is not tuned. */
  readonly grid: readonly Setting[];
  rank(query: string, scores: Scores, setting: Setting): Ranking;
  /** The setting in words. */
  describe(setting: Setting): string;
}

/** Chooses the setting of a control on each fold's validation queries, and ranks the fold's test queries with it. */
export async function crossValidateControlBy<Scores extends { readonly cost: QueryCost }, Setting>(
  system: System,
  sources: readonly ScoreSource<Scores>[],
  context: CrossValidationContext,
  { version, grid, rank, describe }: SettingGrid<Scores, Setting>,
): Promise<CrossValidated> {
  const { measure, tieBreak } = context.experiment.tuning;
  const isTuned = grid.length > 1;
  const { choices, ...validated } = await crossValidateBy(
    system,
    sources,
    { ...context, queriesAtATime: 1 },
    {
      inputs: [version, [measure, tieBreak, isTuned ? grid : null]],
      choose: (validation, scores) => {
        const rankerOf = (setting: Setting) => (query: string) => rank(query, scores.get(query)!, setting);
        const chosen = isTuned
          ? choose(validation, grid, rankerOf, { measure, tieBreak }).parameters
          : grid[0];
        return { choice: describe(chosen), rank: (query, found) => rank(query, found, chosen) };
      },
    },
  );
  return { ...validated, folds: [], chosen: choices };
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
      if (!source.isKnown(query)) missing.add(source.key(query));
    }
  }
  return missing.size;
}

/** Scores all missing queries of all folds. This is the slow part, and a later run finds it done. */
async function scoreQueries(
  name: string,
  sources: readonly ScoreSource<unknown>[],
  { folds, tracker, queriesAtATime = 1 }: CrossValidationContext,
  workPerQuery: number,
): Promise<void> {
  const all = folds.flatMap(({ valid, test }, i) =>
    [...valid, ...test].map((query) => ({ query, source: sources[i] })),
  );
  const distinct = distinctBy(all, ({ query, source }) => source.key(query));
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
      tracker.update(name, ++done, distinct.length);
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

async function load<Scores>(
  queries: readonly string[],
  source: ScoreSource<Scores>,
): Promise<Map<string, Scores>> {
  const loaded = new Map<string, Scores>();
  for (const query of queries) loaded.set(query, await source.get(query));
  return loaded;
}

function meanCost(costs: readonly QueryCost[]): QueryCost {
  const mean = (of: keyof QueryCost): number => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  return { pairs: mean('pairs'), tokens: mean('tokens'), flops: mean('flops') };
}
