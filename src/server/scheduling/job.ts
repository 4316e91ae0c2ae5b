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
  #tokensLeft = 0;
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
    this.#order = longestFirst(lengths);
    for (const length of lengths) this.#tokensLeft += length;
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

  /** The work that the pairs are which no round has taken. */
  get workLeft(): number {
    return this.#tokensLeft * this.request.engine.weight;
  }

  /** Hands out all pairs that are left, by their places. */
  takeRest(): Uint32Array {
    if (this.#next === 0) this.request.onStart?.();
    const rest = this.#order.subarray(this.#next);
    this.#next = this.#order.length;
    this.#tokensLeft = 0;
    return rest;
  }

  /** Hands out the next pair, by its place. */
  take(): number {
    if (this.#next === 0) this.request.onStart?.();
    const place = this.#order[this.#next++];
    this.#tokensLeft -= this.lengths[place];
    return place;
  }

  /** Puts scores where they belong; the last ones answer the call. */
  finish(places: ArrayLike<number>, odds: ArrayLike<number>, from: number): void {
    if (this.#isOver) return;
    let tokens = 0;
    for (let i = 0; i < places.length; i++) {
      this.odds[places[i]] = odds[from + i];
      tokens += this.lengths[places[i]];
    }
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

/** The places of the longest first, of equal ones as they come; sorted as numbers, which needs no calls to compare. */
function longestFirst(lengths: Uint32Array): Uint32Array {
  const count = lengths.length;
  const keys = new Float64Array(count);
  for (let place = 0; place < count; place++) keys[place] = place - lengths[place] * count;
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = ((keys[i] % count) + count) % count;
  return order;
}
