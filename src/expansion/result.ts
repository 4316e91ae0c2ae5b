import type { RerankCost } from './cost.js';
import type { Evidence, RankedInput } from './evidence.js';
import type { Explanation } from './explanation.js';
import { scoreBelow, type Placed } from './ranking.js';

/** One place of the new ranking. */
export interface RerankedDocument {
  /** The document's place in the array that was handed in, from 0. */
  readonly index: number;
  /** The id it came with; its index as text where it came without. */
  readonly id: string;
  /** From 1. */
  readonly rank: number;
  /** The final score: β·ln M + (1-β)·I. Comparable within one query only. */
  readonly score: number;
  /** M(q,d), a probability between 0 and 1: rel(q,d) where phase three did not look; absent below the re-ranking depth, where no model looked. */
  readonly relevance?: number;
  /** False where a deadline cut the work short and scores still missing could move the document. */
  readonly certain: boolean;
}

/** A re-ranked query. */
export interface Reranking {
  /** Best first; the first `topK` where that was asked for. */
  readonly results: readonly RerankedDocument[];
  /** True where every place is what unlimited time would give. */
  readonly complete: boolean;
  readonly cost: RerankCost;
  /** Present where it was asked for. */
  readonly explanation?: Explanation;
  /** Present where it was asked for. */
  readonly evidence?: Evidence;
}

/** Results of a call: the re-ranked documents, and beneath them those below the depth in the order they had. */
export function resultsOf(places: readonly Placed[], below: readonly RankedInput[]): RerankedDocument[] {
  const last = places.at(-1)?.score ?? 0;
  return [
    ...places.map(({ candidate: { index, id }, score, relevance, certain }, i) =>
      relevance === undefined
        ? { index, id, rank: i + 1, score, certain }
        : { index, id, rank: i + 1, score, relevance, certain },
    ),
    ...below.map(({ index, id }, i) => ({
      index,
      id,
      rank: places.length + i + 1,
      score: scoreBelow(last, i),
      certain: true,
    })),
  ];
}
