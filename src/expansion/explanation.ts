import type { Placed } from './order.js';
import { expansionScore } from './phase-three.js';
import type { QueryOutcome } from './rerank-query.js';
import type { RerankCost } from './result.js';

/** A chunk that the query was expanded with. */
export interface ExplainedChunk {
  readonly text: string;
  /** The feedback document it was cut from. */
  readonly document: string;
  /** Its first word, counted from 0 in that document's best passage (or in all of its text). */
  readonly start: number;
  /** Eq. 3: rel(q,c). */
  readonly score: number;
  /** Its share in Eq. 4. */
  readonly weight: number;
}

/** How a document came to its place. Null stands for what a deadline left unknown, or what does not exist. */
export interface ExplainedDocument {
  readonly id: string;
  /** The best passage, title in front. */
  readonly passage: string | null;
  /** Eq. 2: rel(q,d). */
  readonly queryScore: number | null;
  /** rel(c,d), in the order of the chunks. */
  readonly chunkScores: readonly (number | null)[];
  /** Eq. 4: rel(C,d); null without chunks. */
  readonly expansionScore: number | null;
  /** Eq. 5: M(q,d). */
  readonly combined: number | null;
  /** I(q,d); null where there were no initial scores. */
  readonly initial: number | null;
  /** β·ln M + (1-β)·I. */
  readonly final: number;
  /** Places from 1: in the initial ranking, after phase one, at the end. */
  readonly ranks: { readonly initial: number; readonly phase1: number | null; readonly final: number };
}

/** Why a query's documents are ranked as they are; a line of `rerank --explain`. */
export interface Explanation {
  readonly query: string;
  readonly id: string;
  /** Best first. */
  readonly chunks: readonly ExplainedChunk[];
  /** The documents returned that were re-ranked, best first. */
  readonly documents: readonly ExplainedDocument[];
  readonly cost: RerankCost;
}

export function explain(
  query: { readonly id: string; readonly text: string },
  places: readonly Placed[],
  { phaseOne, chunks, final }: QueryOutcome,
  cost: RerankCost,
): Explanation {
  const phaseOneRank = new Map(phaseOne?.map((candidate, i) => [candidate, i + 1]));
  return {
    query: query.text,
    id: query.id,
    chunks: chunks.map(({ text, source, start, score, weight }) => ({
      text,
      document: source.id,
      start,
      score,
      weight,
    })),
    documents: places.map(({ candidate, score }, i) => ({
      id: candidate.id,
      passage: candidate.passage ?? null,
      queryScore: candidate.queryScore ?? null,
      chunkScores: chunks.map((_, chunk) => known(candidate.chunkScores[chunk])),
      expansionScore:
        chunks.length === 0 ? null : known(expansionScore(final.weights, candidate.chunkScores)),
      combined: known(final.combined(candidate)),
      initial: candidate.initial ?? null,
      final: score,
      ranks: {
        initial: candidate.initialRank,
        phase1: phaseOneRank.get(candidate) ?? null,
        final: i + 1,
      },
    })),
    cost,
  };
}

/** Unknown scores are NaN inside, and so is all that is made of them; JSON has no NaN. */
function known(score: number): number | null {
  return Number.isNaN(score) ? null : score;
}
