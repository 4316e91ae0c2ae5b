import {
  LengthTable,
  onGrid,
  type BlockMaxima,
  type LengthNorm,
  type TermScorer,
  type TermStatistics,
  type WeightingModel,
} from './model.js';

export interface Bm25Options {
  /** Saturation of the term frequency (0.9). */
  readonly k1?: number;
  /** Strength of length normalisation, 0 to 1 (0.4). */
  readonly b?: number;
  /** The form of document lengths; `lucene` rounds them as Lucene does (`exact`). */
  readonly lengthNorm?: LengthNorm;
}

/**
 * BM25 as Lucene computes it: idf·tf / (tf + k1·(1 - b + b·dl/avgdl)), without a (k1 + 1) factor,
 * idf = ln(1 + (N - n + ½)/(n + ½)), where N and avgdl count only documents that have terms.
 */
export class Bm25 implements WeightingModel {
  readonly name = 'BM25';
  readonly k1: number;
  readonly b: number;
  readonly lengthNorm: LengthNorm;
  /** k1·(1 - b + b·dl/avgdl) by length. */
  readonly #norms: LengthTable;

  constructor({ k1 = 0.9, b = 0.4, lengthNorm = 'exact' }: Bm25Options = {}) {
    this.k1 = k1;
    this.b = b;
    this.lengthNorm = lengthNorm;
    this.#norms = new LengthTable(lengthNorm, (dl, averageLength) => k1 * (1 - b + (b * dl) / averageLength));
  }

  forTerm(statistics: TermStatistics, weight: number): TermScorer {
    const { nonEmptyDocuments: N, documentFrequency: n } = statistics;
    const idf = Math.log(1 + (N - n + 0.5) / (n + 0.5));
    return new Bm25Term(weight * idf, this.#norms.of(statistics));
  }
}

class Bm25Term implements TermScorer {
  constructor(
    private readonly weight: number,
    private readonly norms: Float64Array,
  ) {}

  score(frequency: number, length: number): number {
    return onGrid((this.weight * frequency) / (frequency + this.norms[length]));
  }

  /** The score rises with the frequency and falls with the length. */
  bound({ maxFrequency, minLength }: BlockMaxima): number {
    return this.score(maxFrequency, minLength);
  }
}
