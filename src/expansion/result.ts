import type { RerankCost } from './cost.js';
import { compareTied, type Evidence, type RankedInput } from './evidence.js';
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
export function resultsOf(
  places: readonly Placed<RankedInput>[],
  below: readonly RankedInput[],
): RerankedDocument[] {
  const last = places.at(-1)?.score ?? 0;
  const all = [
    ...places,
    ...below.map((candidate, i) => ({ candidate, score: scoreBelow(last, i), certain: true })),
  ];
  return all.map(({ candidate: { index, id }, ...scores }, i) => ({ index, id, rank: i + 1, ...scores }));
}

/** A candidate with its final score, by a method that gives every candidate one. */
export type FinallyScored = RankedInput & { readonly final: number };

/** The results of a call of such a method, and the candidates among them. */
export function resultsByScore<C extends FinallyScored>(
  candidates: readonly C[],
  below: readonly RankedInput[],
  wanted: number,
): { readonly places: C[]; readonly results: RerankedDocument[] } {
  const places = candidates.toSorted((a, b) => b.final - a.final || compareTied(a, b)).slice(0, wanted);
  const placed = places.map((candidate) => ({ candidate, score: candidate.final, certain: true }));
  return { places, results: resultsOf(placed, below.slice(0, wanted - places.length)) };
}

/** The part of an explanation that such methods have in common. */
export function explainedPlace({ id, initial, final, initialRank }: FinallyScored, i: number) {
  return { id, initial: initial ?? null, final, ranks: { initial: initialRank, final: i + 1 } };
}
