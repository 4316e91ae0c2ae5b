import type { TextPair } from '../../bert/index.js';
import type { Engine } from './engine.js';

/** What one call of a request's scorer asks of the scheduler. */
export interface JobRequest {
  readonly engine: Engine;
  /** Whom the work is done for: clients get equal shares. */
  readonly client: string;
  readonly pairs: readonly TextPair[];
  readonly signal?: AbortSignal;
  /** Called with the tokens of each pair, when they are known. */
  readonly onMeasured?: (lengths: Uint32Array) => void;
  /** Called when its first pairs are handed to a model. */
  readonly onStart?: () => void;
  /** Called as scores come in, with the pairs done so far and the work that the last ones were. */
  readonly onProgress?: (done: number, work: number) => void;
}

/** A call on its way through the scheduler. */
export class Job {
  readonly odds: Float64Array;
  readonly answer: Promise<Float64Array>;
  /** Places of the pairs, longest first: those of a length go out together and make larger batches. */
  readonly #order: Uint32Array;
  /** How many of them rounds have taken. */
  #next = 0;
  #done = 0;
  #resolve!: (odds: Float64Array) => void;
  #reject!: (error: unknown) => void;
  #isOver = false;

  constructor(
    readonly request: JobRequest,
    /** Tokens of each pair. */
    readonly lengths: Uint32Array,
  ) {
    this.odds = new Float64Array(lengths.length);
    this.#order = lengths.map((_, place) => place).sort((a, b) => lengths[b] - lengths[a]);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasMore(): boolean {
    return !this.#isOver && this.#next < this.lengths.length;
  }

  /** The work that the next pair is. */
  get nextWork(): number {
    return this.lengths[this.#order[this.#next]] * this.request.engine.weight;
  }

  /** Hands out the next pair, by its place. */
  take(): number {
    if (this.#next === 0) this.request.onStart?.();
    return this.#order[this.#next++];
  }

  /** Puts scores where they belong; the last ones answer the call. */
  finish(places: readonly number[], odds: ArrayLike<number>, from: number): void {
    if (this.#isOver) return;
    let tokens = 0;
    places.forEach((place, i) => {
      this.odds[place] = odds[from + i];
      tokens += this.lengths[place];
    });
    this.#done += places.length;
    this.request.onProgress?.(this.#done, tokens * this.request.engine.weight);
    if (this.#done < this.lengths.length) return;
    this.#isOver = true;
    this.#resolve(this.odds);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reject(error);
  }
}
