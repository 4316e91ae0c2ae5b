/** What a weighting model may know of the collection and of one query term. */
export interface TermStatistics {
  /** N. */
  readonly documents: number;
  /** Documents with at least one term. */
  readonly nonEmptyDocuments: number;
  /** T. */
  readonly tokens: number;
  /** n: documents that have the term. */
  readonly documentFrequency: number;
  /** F: its occurrences in the collection. */
  readonly collectionFrequency: number;
  /** The longest document's length: models tabulate by length. */
  readonly maxLength: number;
}

/** The largest values of a postings block, from which a model bounds its scores (see index/postings.ts). */
export interface BlockMaxima {
  readonly maxFrequency: number;
  readonly minLength: number;
  readonly maxDph: number;
}

/** A model bound to one query term: its contribution to a document's score. */
export interface TermScorer {
  /** The contribution of `frequency` occurrences in a document of `length` terms, on the {@link onGrid score grid}. */
  score(frequency: number, length: number): number;
  /** At least the contribution of every posting in a block with these maxima. */
  bound(block: BlockMaxima): number;
}

/** A weighting model with its parameters. */
export interface WeightingModel {
  readonly name: string;
  /** `weight` is the query-term weight (qtw). */
  forTerm(statistics: TermStatistics, weight: number): TermScorer;
}

/** All scores are multiples of this. */
export const GRID_STEP = 2 ** -30;

/** Adding and subtracting 1.5·2^22 leaves a double of magnitude below 2^21 rounded to a multiple of 2^-30. */
const GRID = 1.5 * 2 ** 22;

/**
 * Contributions are rounded to multiples of 2^-30 (about 1e-9). Sums of such numbers are exact in a double, so a
 * document's score does not depend on the order in which its terms are added: pruned and exhaustive evaluation
 * agree to the last bit, and equal documents tie exactly.
 */
export function onGrid(contribution: number): number {
  return contribution + GRID - GRID;
}
