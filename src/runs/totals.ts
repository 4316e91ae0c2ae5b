import type { Phase, RerankCost, RerankProgress } from '../expansion/index.js';

/** The state of a run that is being re-ranked. */
export interface RunProgress {
  /** Finished queries, those of earlier calls included. */
  readonly finished: number;
  /** Share of this call's work that is done, from 0 to 1. */
  readonly share: number;
  /** Phase of the query that is being re-ranked; absent between two queries. */
  readonly phase?: Phase;
}

/** The size and cost of a re-ranked run. */
export interface RunTotals {
  /** Queries re-ranked by this call. */
  readonly queries: number;
  /** Queries that an earlier call had finished. */
  readonly resumed: number;
  /** Queries, of this call, without any document. */
  readonly empty: number;
  readonly pairs: number;
  /** Pairs that would have been scored without exact top-k. */
  readonly exhaustivePairs: number;
  readonly flops: number;
  readonly seconds: number;
}

/** Counts the queries of a run and what they cost. */
export class RunCounter {
  readonly #started = performance.now();
  readonly #pairsByPhase = new Map<Phase, number>();
  readonly #sums = { queries: 0, empty: 0, pairs: 0, exhaustivePairs: 0, flops: 0 };

  constructor(
    private readonly total: number,
    private readonly resumed: number,
    private readonly onProgress?: (progress: RunProgress) => void,
  ) {}

  /** Estimates the share of the current query by the mean number of pairs of the queries before it. */
  progress({ phase, pairs }: RerankProgress): void {
    this.#pairsByPhase.set(phase, pairs);
    const current = [...this.#pairsByPhase.values()].reduce((sum, count) => sum + count, 0);
    const mean = this.#sums.pairs / this.#sums.queries;
    this.#report(this.#sums.queries + (mean > 0 ? Math.min(1, current / mean) : 0), phase);
  }

  add({ pairs, exhaustivePairs, flops }: RerankCost, documents: number): void {
    this.#pairsByPhase.clear();
    this.#sums.queries++;
    this.#sums.pairs += pairs;
    this.#sums.exhaustivePairs += exhaustivePairs;
    this.#sums.flops += flops;
    if (documents === 0) this.#sums.empty++;
    this.#report(this.#sums.queries);
  }

  get totals(): RunTotals {
    const seconds = (performance.now() - this.#started) / 1000;
    return { ...this.#sums, resumed: this.resumed, seconds };
  }

  #report(done: number, phase?: Phase): void {
    this.onProgress?.({
      finished: this.resumed + Math.floor(done),
      share: done / Math.max(1, this.total - this.resumed),
      ...(phase ? { phase } : {}),
    });
  }
}
