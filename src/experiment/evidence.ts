import { hashJson } from '../common/hash.js';
import type { DocumentStore, Query, Ranking, Run } from '../collection/index.js';
import { BertQE, expansionScore, type Evidence, type RerankCost } from '../expansion/index.js';
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
export interface QueryCost {
  readonly pairs: number;
  readonly tokens: number;
  readonly flops: number;
}

/** A re-ranker with its models, ready to gather evidence. */
export interface EvidenceSource {
  key(query: string): string;
  isKnown(query: string): boolean;
  /** Time of the models for a query, where the store has it. */
  timing(query: string): Promise<Timing | undefined>;
  /** From the store, or from the models and then into the store. */
  get(query: string, signal?: AbortSignal): Promise<QueryScores>;
}

/** The inputs and models of all systems' evidence. */
export interface EvidenceContext {
  readonly queries: ReadonlyMap<string, Query>;
  readonly initial: Run;
  readonly documents: DocumentStore;
  /** Hash of the documents. */
  readonly documentsKey: string;
  readonly models: Models;
  readonly store: ScoreStore;
}

/** The re-ranker as a fold has it; folds differ where models were fine-tuned per fold. */
export async function evidenceSource(
  { variant, method }: RerankingSystem,
  fold: number,
  context: EvidenceContext,
): Promise<EvidenceSource> {
  const { queries, initial, models, store, documentsKey } = context;
  const { phaseOne, expansion } = variant;
  const scorers = {
    bestPassage: await models.get(phaseOne, 'general', fold),
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
  const keys = new Map<string, string>();
  const key = (id: string): string => {
    const known = keys.get(id);
    if (known !== undefined) return known;
    const candidates = candidatesOf(initial, id, method.depth);
    const made = hashJson(
      'evidence 1',
      identities,
      relevant,
      documentsKey,
      queries.get(id)!.text,
      candidates,
    );
    keys.set(id, made);
    return made;
  };
  return {
    key,
    isKnown: (id) => store.hasRecord(key(id)),
    timing: async (id) => (await store.record<QueryScores>(key(id)))?.timing,
    async get(id, signal) {
      const known = await store.record<QueryScores>(key(id));
      if (known) return known;
      const query = queries.get(id)!;
      const documents = await withTexts(query, candidatesOf(initial, id, method.depth), context.documents);
      const distinct = new Set<StoredScorer>(Object.values(scorers));
      for (const scorer of distinct) scorer.takeTiming();
      const { evidence, cost } = await bertQe.rerank(query.text, documents, {
        keepEvidence: true,
        signal,
      });
      const scores = scoresOf(evidence!, cost, [...distinct]);
      await store.putRecord(key(id), scores);
      return scores;
    },
  };
}

function candidatesOf(initial: Run, query: string, depth: number): Ranking {
  return (initial.get(query) ?? []).slice(0, depth);
}

function scoresOf(
  { candidates, chunks = [], weights }: Evidence,
  cost: RerankCost,
  scorers: readonly StoredScorer[],
): QueryScores {
  const { pairs, tokens, flops } = cost;
  return {
    ids: candidates.map(({ id }) => id),
    initial: candidates.map(({ initial }) => initial!),
    query: candidates.map(({ queryScore }) => queryScore!),
    expansion:
      chunks.length === 0 ? null : candidates.map(({ chunkScores }) => expansionScore(weights, chunkScores)),
    cost: { pairs, tokens, flops },
    timing: sumOfTimings(scorers.map((scorer) => scorer.takeTiming())),
  };
}
