import type { RerankCost } from './cost.js';
import { combine, expansionScore, type Combination } from './equations.js';
import type { Evidence } from './evidence.js';
import type { Placed } from './ranking.js';

/** A chunk that the query was expanded with. */
export interface ExplainedChunk {
  readonly text: string;
  /** The feedback document that it was cut from. */
  readonly document: string;
  /** Its first word, counted from 0 in that document's best passage (or in all of its text). */
  readonly start: number;
  /** Eq. 3: rel(q,c). */
  readonly score: number;
  /** Its share in Eq. 4. */
  readonly weight: number;
}

/** The scores that a document's place is made of. Null stands for a score that is unknown or does not exist. */
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

/** The explanation of a query's ranking: a line of `rerank --explain`. */
export interface Explanation {
  readonly query: string;
  readonly id: string;
  /** Best first. */
  readonly chunks: readonly ExplainedChunk[];
  /** The documents returned that were re-ranked, best first. */
  readonly documents: readonly ExplainedDocument[];
  readonly cost: RerankCost;
}

/** Explains a query's places by its evidence. */
export function explain(
  evidence: Evidence,
  id: string,
  places: readonly Placed[],
  { alpha }: Combination,
  cost: RerankCost,
): Explanation {
  const { query, chunks = [], weights } = evidence;
  const phaseOneRank = new Map(evidence.rankedByQuery()?.map((candidate, i) => [candidate, i + 1]));
  return {
    query,
    id,
    chunks: chunks.map(({ text, source, start, score, weight }) => ({
      text,
      document: source.id,
      start,
      score,
      weight,
    })),
    documents: places.map(({ candidate, score }, i) => {
      const { passage, queryScore, chunkScores, initial, initialRank } = candidate;
      // NaN stands for unknown in the sums.
      const expansion = chunks.length === 0 ? null : expansionScore(weights, chunkScores);
      const isKnown = evidence.chunks !== undefined && queryScore !== undefined;
      return {
        id: candidate.id,
        passage: passage ?? null,
        queryScore: queryScore ?? null,
        chunkScores: chunks.map((_, chunk) => chunkScores[chunk] ?? null),
        expansionScore: known(expansion),
        combined: isKnown ? known(combine(queryScore, expansion, alpha)) : null,
        initial: initial ?? null,
        final: score,
        ranks: { initial: initialRank, phase1: phaseOneRank.get(candidate) ?? null, final: i + 1 },
      };
    }),
    cost,
  };
}

/** A score, or null where it is not known: JSON has no NaN. */
function known(score: number | null): number | null {
  return Number.isNaN(score) ? null : score;
}
