import { combine, combinedToReach, expansionScore, interpolate, type Combination } from './equations.js';
import type { Candidate, Evidence } from './evidence.js';
import type { ScoreTable } from './schedule/schedule.js';

/** The column of rel(q,d). The chunks of C follow in their order. */
export const queryColumn = 0;

/**
 * The final scores of candidates under one α and β, as far as the evidence goes. Each method takes the value that
 * stands for every unknown score. Every rel lies in [0,1], the weights are not negative, and floating-point products
 * and sums are monotone; so 0 and 1 give bounds of M that hold exactly. The logarithm is not proven monotone to the
 * last bit, so comparisons of bounds leave a tolerance.
 */
export class FinalScores implements ScoreTable<Candidate> {
  readonly rows: readonly Candidate[];
  readonly columns: number;
  readonly #weights: readonly number[];

  constructor(
    private readonly evidence: Evidence,
    private readonly combination: Combination,
  ) {
    this.rows = evidence.expanded;
    this.#weights = evidence.weights;
    this.columns = 1 + this.#weights.length;
  }

  /** M(q,d), Eq. 5. */
  combined(candidate: Candidate, unknown: number): number {
    return combine(
      this.#queryScore(candidate, unknown),
      this.#expansion(candidate, unknown),
      this.combination.alpha,
    );
  }

  #queryScore({ queryScore, passages }: Candidate, unknown: number): number {
    if (queryScore === undefined) return unknown;
    return this.evidence.mayRise && passages.length > 1 ? Math.max(queryScore, unknown) : queryScore;
  }

  /** The final score: β·ln M + (1-β)·I. */
  score(candidate: Candidate, unknown: number): number {
    return interpolate(this.combined(candidate, unknown), candidate.initial, this.combination.beta);
  }

  /** rel(C,d), Eq. 4; null where the query is not expanded. Before phase two it is one unknown score. */
  #expansion(candidate: Candidate, unknown: number): number | null {
    const { chunks } = this.evidence;
    if (chunks === undefined) return candidate.isEmpty ? 0 : unknown;
    return chunks.length === 0 ? null : expansionScore(this.#weights, candidate.chunkScores, unknown);
  }

  isComplete({ queryScore, chunkScores, isEmpty, passages }: Candidate): boolean {
    if (queryScore === undefined || (this.evidence.mayRise && passages.length > 1)) return false;
    return isEmpty || (this.evidence.chunks !== undefined && !chunkScores.includes(undefined));
  }

  cell({ queryScore, chunkScores }: Candidate, column: number): number | undefined {
    return column === queryColumn ? queryScore : chunkScores[column - 1];
  }

  cost({ likelyPassages }: Candidate, column: number): number {
    return column === queryColumn ? likelyPassages.length : 1;
  }

  share(column: number): number {
    const { alpha } = this.combination;
    return column === queryColumn ? 1 - alpha : alpha * this.#weights[column - 1];
  }

  /** The part of M that the candidate must lose before its final score falls below `final`. */
  excess(candidate: Candidate, final: number): number {
    const needed = combinedToReach(final, candidate.initial, this.combination.beta);
    return this.combined(candidate, 1) - needed;
  }
}
