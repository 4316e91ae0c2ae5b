import type { Ranking } from '../../collection/index.js';
import { Random } from '../random.js';
import type { TrainingSettings } from '../settings.js';

/** A candidate and what the judgements say of it. */
export interface Candidate {
  readonly document: string;
  readonly relevant: boolean;
}

/** REFERENCE §2: relevance of 1 or more is relevant, everything else, unjudged included, is not. */
export function judgedCandidates(
  ranking: Ranking,
  judged: ReadonlyMap<string, number> | undefined,
  depth: number,
): Candidate[] {
  return ranking.slice(0, depth).map(({ id }) => ({ document: id, relevant: (judged?.get(id) ?? 0) >= 1 }));
}

/** The candidates of a query that become examples: all of them, as published, or a sample that follows from the seed. */
export function sampleCandidates(
  query: string,
  all: readonly Candidate[],
  { candidates, negatives, seed }: Pick<TrainingSettings, 'candidates' | 'negatives' | 'seed'>,
): Candidate[] {
  const random = new Random('candidates', seed, query);
  const some = candidates === undefined ? [...all] : random.sample(all, candidates);
  if (negatives === undefined) return some;
  const irrelevant = some.filter(({ relevant }) => !relevant);
  const wanted = negatives * Math.max(1, some.length - irrelevant.length);
  const kept = new Set(random.sample(irrelevant, wanted));
  return some.filter((candidate) => candidate.relevant || kept.has(candidate));
}
