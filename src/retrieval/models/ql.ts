import {
  LengthTable,
  onGrid,
  type BlockMaxima,
  type LengthNorm,
  type TermScorer,
  type TermStatistics,
  type WeightingModel,
} from './model.js';

export interface QlOptions {
  /** Dirichlet prior: pseudo-terms given to every document (1000). */
  readonly mu?: number;
  /** The form of document lengths; `lucene` rounds them as Lucene does (`exact`). */
  readonly lengthNorm?: LengthNorm;
}

/**
 * Query likelihood with Dirichlet smoothing as Lucene computes it: per matching term
 * max(0, ln(1 + tf/(μ·p)) + ln(μ/(dl + μ))), p = F/T.
 */
export class QueryLikelihood implements WeightingModel {
  readonly name = 'QL';
  readonly mu: number;
  readonly lengthNorm: LengthNorm;
  /** ln(μ/(dl + μ)) by length. */
  readonly #norms: LengthTable;

  constructor({ mu = 1000, lengthNorm = 'exact' }: QlOptions = {}) {
    this.mu = mu;
    this.lengthNorm = lengthNorm;
    this.#norms = new LengthTable(lengthNorm, (dl) => Math.log(mu / (dl + mu)));
  }

  forTerm(statistics: TermStatistics, weight: number): TermScorer {
    const { collectionFrequency, tokens } = statistics;
    // Lucene's collection model: (F + 1) / (T + 1).
    const p = (collectionFrequency + 1) / (tokens + 1);
    return new QlTerm(weight, this.mu * p, this.#norms.of(statistics));
  }
}

class QlTerm implements TermScorer {
  constructor(
    private readonly weight: number,
    private readonly prior: number,
    private readonly norms: Float64Array,
  ) {}

  score(frequency: number, length: number): number {
    const gain = Math.log(1 + frequency / this.prior) + this.norms[length];
    return gain > 0 ? onGrid(this.weight * gain) : 0;
  }

  /** The score rises with the frequency and falls with the length. */
  bound({ maxFrequency, minLength }: BlockMaxima): number {
    return this.score(maxFrequency, minLength);
  }
}
