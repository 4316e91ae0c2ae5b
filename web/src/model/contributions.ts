import type { Combination } from '../../../src/expansion/equations.js';
import type { ExplainedDocument, Explanation } from './answer.js';

/** A summand of M(q,d): the part of the query or of a chunk. */
export interface Contribution {
  /** The place of the chunk, from 0; null for the query. */
  readonly chunk: number | null;
  /** rel(q,d) or rel(c,d). */
  readonly score: number;
  /** The most it can add, at a score of 1: the share of the query or the weight of the chunk. */
  readonly most: number;
  readonly value: number;
}

/** Eqs. 4 and 5 written out: (1-α)·rel(q,d) and α·weight·rel(c,d), which add up to M. */
export function contributionsOf(
  { queryScore, chunkScores }: ExplainedDocument,
  chunks: Explanation['chunks'],
  { alpha }: Pick<Combination, 'alpha'>,
): Contribution[] {
  const ofQuery = chunks.length === 0 ? 1 : 1 - alpha;
  const parts = [{ chunk: null as number | null, score: queryScore ?? 0, most: ofQuery }];
  chunks.forEach(({ weight }, chunk) =>
    parts.push({ chunk, score: chunkScores[chunk] ?? 0, most: alpha * weight }),
  );
  return parts.map((part) => ({ ...part, value: part.most * part.score }));
}
