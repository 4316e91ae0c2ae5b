import type { TextPair } from '../../bert/index.js';
import type { ServedModel } from './served-model.js';

/** Pairs that a request wants scored by one model. */
export interface JobRequest {
  readonly model: ServedModel;
  /** The client that the work is done for. Clients get equal shares. */
  readonly client: string;
  readonly pairs: readonly TextPair[];
  readonly signal?: AbortSignal | undefined;
  /** Called with the tokens of each pair once they are counted. */
  readonly onCounted?: (tokens: Uint32Array) => void;
  /** Called when the first pairs are handed to the model. */
  readonly onStart?: () => void;
  /** Called as scores arrive, with the pairs done so far and the work of the last ones. */
  readonly onProgress?: (done: number, work: number) => void;
}

/** A scoring call in the scheduler. */
export class Job {
  readonly odds: Float64Array;
  readonly answer: Promise<Float64Array>;
  /** Indexes of the pairs, longest first: pairs of one length go out together and make larger batches. */
  readonly #order: Uint32Array;
  /** Pairs that rounds have taken. */
  #next = 0;
  #tokensLeft = 0;
  #done = 0;
  #resolve!: (odds: Float64Array) => void;
  #reject!: (error: unknown) => void;
  #isOver = false;

  constructor(
    readonly request: JobRequest,
    /** Tokens of each pair. */
    readonly tokens: Uint32Array,
  ) {
    this.odds = new Float64Array(tokens.length);
    this.#order = longestFirst(tokens);
    for (const count of tokens) this.#tokensLeft += count;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasMore(): boolean {
    return !this.#isOver && this.#next < this.tokens.length;
  }

  /** The work of the next pair. */
  get nextWork(): number {
    return this.tokens[this.#order[this.#next]] * this.request.model.weight;
  }

  /** The work of the pairs that no round has taken. */
  get workLeft(): number {
    return this.#isOver ? 0 : this.#tokensLeft * this.request.model.weight;
  }

  /** Takes the next pair; returns its index. */
  take(): number {
    if (this.#next === 0) this.request.onStart?.();
    const index = this.#order[this.#next++];
    this.#tokensLeft -= this.tokens[index];
    return index;
  }

  /** Stores the scores of these pairs, which begin at `from` in `odds`. The last ones resolve the answer. */
  deliver(indexes: readonly number[], odds: ArrayLike<number>, from: number): void {
    if (this.#isOver) return;
    let tokens = 0;
    for (let i = 0; i < indexes.length; i++) {
      this.odds[indexes[i]] = odds[from + i];
      tokens += this.tokens[indexes[i]];
    }
    this.#done += indexes.length;
    this.request.onProgress?.(this.#done, tokens * this.request.model.weight);
    if (this.#done < this.tokens.length) return;
    this.#isOver = true;
    this.#resolve(this.odds);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reject(error);
  }
}

/** Indexes by falling token count, equal ones in order. Sorting numbers needs no comparison function. */
function longestFirst(tokens: Uint32Array): Uint32Array {
  const count = tokens.length;
  const keys = new Float64Array(count);
  for (let index = 0; index < count; index++) keys[index] = index - tokens[index] * count;
  keys.sort();
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = ((keys[i] % count) + count) % count;
  return order;
}
