import type { Candidate } from './candidate.js';
import type { Chunk } from './phase-two.js';
import type { QueryScoring } from './scoring.js';

/** Which chunks (by their place) a document is to be scored with. */
export interface ChunkRequest {
  readonly candidate: Candidate;
  readonly chunks: readonly number[];
}

/** The chunks that a document has not been scored with. */
export function remainingChunks(candidate: Candidate): number[] {
  const remaining: number[] = [];
  for (let i = 0; i < candidate.chunkScores.length; i++) if (candidate.isUnknown(i)) remaining.push(i);
  return remaining;
}

/** Section 2.3: rel(c,d), the chunk standing where the query stood, for the pairs asked for. */
export async function scoreWithChunks(
  requests: readonly ChunkRequest[],
  chunks: readonly Chunk[],
  scoring: QueryScoring,
): Promise<void> {
  for (const round of scoring.rounds('phaseThree', requests, (request) => request.chunks.length)) {
    const pairs = round.flatMap(({ candidate, chunks: wanted }) =>
      wanted.map((chunk) => ({ a: chunks[chunk].text, b: candidate.passage! })),
    );
    const scores = await scoring.score('phaseThree', pairs);
    let at = 0;
    for (const { candidate, chunks: wanted } of round) {
      for (const chunk of wanted) candidate.setChunkScore(chunk, scores[at++]);
    }
  }
}

/**
 * Eq. 4: rel(C,d) = Σ softmax(rel(q,c))·rel(c,d). A score that is not known counts as `unknown`: with 0 and 1 the
 * same sum, in the same order of additions, gives a lower and an upper bound that hold to the last bit.
 */
export function expansionScore(
  weights: readonly number[],
  chunkScores: ArrayLike<number>,
  unknown = Number.NaN,
): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i++) {
    const score = chunkScores[i];
    sum += weights[i] * (Number.isNaN(score) ? unknown : score);
  }
  return sum;
}
