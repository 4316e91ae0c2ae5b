import type { Candidate } from './candidate.js';
import { slack, type FinalScore } from './final-score.js';
import { scoreDocuments } from './phase-one.js';
import { scoreWithChunks } from './phase-three.js';
import type { ExpansionChunk } from './phase-two.js';
import { RoundPlanner } from './round-planner.js';
import type { QueryScoring } from './scoring.js';

/** A query on the way to its first k places. */
export interface SettleInput {
  readonly query: string;
  readonly candidates: readonly Candidate[];
  readonly chunks: readonly ExpansionChunk[];
  readonly final: FinalScore;
  readonly roundPairs: number;
}

/**
 * Exact top-k: scores pairs, a round at a time, until the first k places and their scores are what scoring every
 * pair would give. The k-th best lower bound is a floor under the k-th place; a document whose upper bound lies
 * below it can never come in, and whatever of it is not scored need not be. False when the deadline came first.
 */
export async function settleFirst(k: number, input: SettleInput, scoring: QueryScoring): Promise<boolean> {
  const { query, candidates, chunks, final } = input;
  const planner = new RoundPlanner(final, chunks, k, input.roundPairs);
  // Bounds only tighten: who is out stays out.
  let contenders = candidates;
  for (;;) {
    const floor = kthLargest(
      contenders.map((candidate) => final.lower(candidate)),
      k,
    );
    contenders = contenders.filter((candidate) => final.upper(candidate) >= floor - slack(floor));
    const plan = planner.plan(contenders, floor);
    if (plan.documents.length + plan.chunks.length === 0) return true;
    if (scoring.expired) return false;
    await scoreDocuments(query, plan.documents, scoring);
    await scoreWithChunks(plan.chunks, chunks, scoring);
  }
}

/** -∞ when there are fewer than k. */
function kthLargest(values: readonly number[], k: number): number {
  if (values.length <= k) return Number.NEGATIVE_INFINITY;
  return Float64Array.from(values).sort()[values.length - k];
}
