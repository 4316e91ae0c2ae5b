import { getOrInsert } from '../common/get-or-insert.js';
import { hashJson } from '../common/hash.js';
import type { DocumentStore, Query, Ranking, Run } from '../collection/index.js';
import type { SizeLetter } from '../bert/index.js';
import { BertQE, chooseModels, expansionScore, type Evidence, type RerankCost } from '../expansion/index.js';
import { withTexts } from '../runs/index.js';
import { phaseThreeName, type RerankingSystem } from './systems.js';
import type { Models } from './store/models.js';
import type { ScoreStore } from './store/score-store.js';
import type { StoredScorer } from './store/stored-scorer.js';
import { sumOfTimings, type Timing } from './store/timing.js';

/**
 * The scores of a query's candidates, from which the ranking for any α and β follows: I(q,d), rel(q,d) and rel(C,d)
 * in the order of the initial ranking.
 */
export interface QueryScores {
  readonly ids: readonly string[];
  readonly initial: readonly number[];
  readonly query: readonly number[];
  /** Null where there are no chunks to expand with. */
  readonly expansion: readonly number[] | null;
  readonly cost: QueryCost;
  /** Time of the models when nothing is shared; absent where it is not known of all scores. */
  readonly timing?: Timing | undefined;
}

/** The cost of a query when nothing is shared with other systems. */
export type QueryCost = Pick<RerankCost, 'pairs' | 'tokens' | 'flops'>;

export function queryCost({ pairs, tokens, flops }: RerankCost): QueryCost {
  return { pairs, tokens, flops };
}

/** The scores that a system gives queries in a fold. */
export interface ScoreSource<Scores> {
  key(query: string): string;
  isKnown(query: string): boolean;
  /** Time of the models for a query, where the store has it. */
  timing(query: string): Promise<Timing | undefined>;
  /** From the store, or from the models and then into the store. */
  get(query: string, signal?: AbortSignal): Promise<Scores>;
}

/** Scores that are computed where the store has none. */
export function storedScores<Scores extends { readonly timing?: Timing | undefined }>(
  store: ScoreStore,
  makeKey: (query: string) => string,
  compute: (query: string, signal: AbortSignal | undefined) => Promise<Scores>,
): ScoreSource<Scores> {
  const keys = new Map<string, string>();
  const key = (query: string): string => getOrInsert(keys, query, () => makeKey(query));
  return {
    key,
    isKnown: (query) => store.hasRecord(key(query)),
    timing: async (query) => (await store.record<Scores>(key(query)))?.timing,
    async get(query, signal) {
      const known = await store.record<Scores>(key(query));
      if (known) return known;
      const scores = await compute(query, signal);
      await store.putRecord(key(query), scores);
      return scores;
    },
  };
}

export interface EvidenceContext {
  readonly queries: ReadonlyMap<string, Query>;
  readonly initial: Run;
  readonly documents: DocumentStore;
  readonly documentsKey: string;
  readonly models: Models;
  readonly store: ScoreStore;
}

/** The re-ranker as a fold has it; folds differ where models were fine-tuned per fold. */
export async function evidenceSource(
  { variant, method }: RerankingSystem,
  fold: number,
  context: EvidenceContext,
): Promise<ScoreSource<QueryScores>> {
  const { queries, initial, models, store, documentsKey } = context;
  const { phaseOne, expansion } = variant;
  const chooser = chooseModels(variant.name, method).models.bestPassage as SizeLetter;
  const scorers = {
    bestPassage: await models.get(chooser, 'general', fold),
    phaseOne: await models.get(phaseOne, 'fineTuned', fold),
    ...(expansion && {
      phaseTwo: await models.get(expansion.phaseTwo, 'general', fold),
      phaseThree: await models.get(expansion.phaseThree, 'fineTuned', fold, phaseThreeName(variant)),
    }),
  };
  const identities = Object.entries(scorers).map(([phase, { identity }]) => [phase, identity]);
  const bertQe = new BertQE(scorers, method);
  // Without expansion nothing depends on how chunks are made.
  const relevant = method.expansion ? method : { ...method, kd: 0, kc: 0, chunkWords: 0 };
  const candidatesOf = (id: string): Ranking => (initial.get(id) ?? []).slice(0, method.depth);
  const keyOf = (id: string): string =>
    hashJson('evidence 1', identities, relevant, documentsKey, queries.get(id)!.text, candidatesOf(id));
  return storedScores(store, keyOf, async (id, signal) => {
    const query = queries.get(id)!;
    const documents = await withTexts(query, candidatesOf(id), context.documents);
    const distinct = new Set<StoredScorer>(Object.values(scorers));
    for (const scorer of distinct) scorer.takeTiming();
    const { evidence, cost } = await bertQe.rerank(query.text, documents, { keepEvidence: true, signal });
    return scoresOf(evidence!, cost, [...distinct]);
  });
}

function scoresOf(
  { candidates, chunks = [], weights }: Evidence,
  cost: RerankCost,
  scorers: readonly StoredScorer[],
): QueryScores {
  return {
    ids: candidates.map(({ id }) => id),
    initial: candidates.map(({ initial }) => initial!),
    query: candidates.map(({ queryScore }) => queryScore!),
    expansion:
      chunks.length === 0 ? null : candidates.map(({ chunkScores }) => expansionScore(weights, chunkScores)),
    cost: queryCost(cost),
    timing: sumOfTimings(scorers.map((scorer) => scorer.takeTiming())),
  };
}
