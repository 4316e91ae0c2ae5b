import type { IndexedTerm } from '../index/dictionary.js';
import type { CollectionStatistics } from '../index/statistics.js';

/** The statistics of the collection and of a query term that a weighting model uses. */
export type TermStatistics = Pick<
  CollectionStatistics & IndexedTerm,
  'documents' | 'nonEmptyDocuments' | 'tokens' | 'maxLength' | 'documentFrequency' | 'collectionFrequency'
>;

/** Extreme values of a postings block, from which a model bounds its scores (see index/postings.ts). */
export interface BlockMaxima {
  readonly maxFrequency: number;
  readonly minLength: number;
  readonly maxDph: number;
}

/** A query term's contribution to the scores of documents. */
export interface TermScorer {
  /** The contribution of `frequency` occurrences in a document of `length` terms, on the {@link onGrid score grid}. */
  score(frequency: number, length: number): number;
  /** An upper bound of the contributions in a block. */
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
 * The contribution, rounded to a multiple of 2^-30 (about 1e-9). Sums of such numbers are exact in a double, so a
 * document's score does not depend on the order of its terms: pruned and exhaustive evaluation agree to the last bit,
 * and equal documents have equal scores.
 */
export function onGrid(contribution: number): number {
  return contribution + GRID - GRID;
}

/**
 * A document's length as Lucene stores it in one byte: exact up to 39, then with four significant bits. It serves to
 * reproduce Lucene's rankings exactly.
 */
function luceneLength(length: number): number {
  if (length < FREE_VALUES) return length;
  const rest = length - FREE_VALUES;
  // A float with four significant bits represents numbers below 16 exactly.
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return length;
  const shift = bits - 4;
  return FREE_VALUES + ((rest >>> shift) << shift);
}

/** 255 minus the number of values a 4-bit float needs to reach 2^31 - 1. */
const FREE_VALUES = 24;

/** The form of document lengths in a weighting model. */
export type LengthNorm = 'exact' | 'lucene';

/** Values that depend on the length of a document and the collection alone, by length; those of one collection are kept. */
export class LengthTable {
  #averageLength = 0;
  #values = new Float64Array(0);

  constructor(
    private readonly norm: LengthNorm,
    private readonly valueOf: (length: number, averageLength: number) => number,
  ) {}

  /** The values for a collection. Its average length is that of the documents that have terms. */
  of({ tokens, nonEmptyDocuments, maxLength }: TermStatistics): Float64Array {
    const averageLength = tokens / nonEmptyDocuments;
    if (this.#averageLength !== averageLength || this.#values.length !== maxLength + 1) {
      this.#averageLength = averageLength;
      this.#values = new Float64Array(maxLength + 1);
      for (let length = 0; length <= maxLength; length++) {
        const normed = this.norm === 'lucene' ? luceneLength(length) : length;
        this.#values[length] = this.valueOf(normed, averageLength);
      }
    }
    return this.#values;
  }
}
