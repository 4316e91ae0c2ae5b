/** Pairs to try a model with whose speed is not known yet. */
const firstRound = 16;

/** A point in time by which the answer is wanted. */
export class Deadline {
  readonly #end: number;

  constructor(
    milliseconds: number,
    /** The most pairs of a round. */
    private readonly roundPairs: number,
  ) {
    this.#end = performance.now() + milliseconds;
  }

  get expired(): boolean {
    return performance.now() >= this.#end;
  }

  /** How many pairs fit into the time left at the speed measured so far: at least one, at most a round. */
  fittingPairs({ pairs, seconds }: { pairs: number; seconds: number }): number {
    if (pairs === 0) return Math.min(firstRound, this.roundPairs);
    const left = Math.max(0, this.#end - performance.now()) / 1000;
    return Math.max(1, Math.min(this.roundPairs, Math.floor((left * pairs) / seconds)));
  }
}
