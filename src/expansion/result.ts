import type { Explanation } from './explanation.js';
import type { Phase } from './scoring.js';

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
  /** M(q,d), a probability between 0 and 1; absent below the re-ranking depth, where no model looked. */
  readonly relevance?: number;
  /** False where a deadline cut the work short and scores still missing could move the document. */
  readonly certain: boolean;
}

/** What a phase cost. */
export interface PhaseCost {
  /** Pairs put to the model. */
  readonly pairs: number;
  /** Pairs that would be put to it without exact top-k and without a deadline. */
  readonly exhaustivePairs: number;
  /** Time in which the model had work. */
  readonly seconds: number;
  /** Tokens of those pairs, without padding; 0 for models whose tokens cannot be counted. */
  readonly tokens: number;
  /** Floating-point operations of their matrix products, those of attention included; 0 likewise. */
  readonly flops: number;
}

/** What a query cost: over all (`seconds` is then the wall time of the whole call), and per phase. */
export type RerankCost = PhaseCost & Readonly<Record<Phase, PhaseCost>>;

/** A re-ranked query. */
export interface Reranking {
  /** Best first; the first `topK` where that was asked for. */
  readonly results: readonly RerankedDocument[];
  /** Whether every place is certain to be what unlimited time would give. */
  readonly complete: boolean;
  readonly cost: RerankCost;
  /** Where it was asked for. */
  readonly explanation?: Explanation;
}
