import type { Ranking } from '../../collection/index.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';

/** A candidate of a query with its judgement. */
export interface JudgedCandidate {
  readonly document: string;
  readonly relevant: boolean;
}

/** The candidates of a ranking. From level 1 on a document is relevant; unjudged ones are not. */
export function judgedCandidates(
  ranking: Ranking,
  judged: ReadonlyMap<string, number> | undefined,
  depth: number,
): JudgedCandidate[] {
  return ranking.slice(0, depth).map(({ id }) => ({ document: id, relevant: (judged?.get(id) ?? 0) >= 1 }));
}

/** The candidates of a query that become examples: all of them, as published, or a sample determined by the seed. */
export function sampleCandidates(
  query: string,
  all: readonly JudgedCandidate[],
  { candidates, negatives, seed }: Pick<TrainingSettings, 'candidates' | 'negatives' | 'seed'>,
): JudgedCandidate[] {
  const random = new Random('candidates', seed, query);
  const some = candidates === undefined ? [...all] : random.sample(all, candidates);
  if (negatives === undefined) return some;
  const irrelevant = some.filter(({ relevant }) => !relevant);
  const count = negatives * Math.max(1, some.length - irrelevant.length);
  const kept = new Set(random.sample(irrelevant, count));
  return some.filter((candidate) => candidate.relevant || kept.has(candidate));
}
