import { countOf, encoderFlops, sigmoid, type Scorer, type TextPair } from '../../bert/index.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import { eachPhase, type PhaseScoreOptions } from '../../expansion/index.js';
import type { SearchProgress } from '../schemas/index.js';
import type { Reservation } from './admission.js';
import type { Scheduler } from './scheduler.js';
import type { ServedModel } from './served-model.js';

/** The request that pairs are scored for. */
export interface RequestScoringOptions {
  readonly client: string;
  readonly signal: AbortSignal;
  /** Shrinks as work is done; absent for scoring that needs no admission. */
  readonly reservation?: Reservation | undefined;
  /** Keeps the log-odds of every pair, for raw scores (false). */
  readonly keepOdds?: boolean | undefined;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

/** The models as one request sees them. Its pairs go through the scheduler, and what they cost is reported. */
export class RequestScoring {
  readonly #scorers = new Map<ServedModel, Scorer>();
  readonly #odds = new Map<ServedModel, Map<string, Map<string, number>>>();
  /** Pairs that each phase has run. */
  readonly #pairs = eachPhase(() => 0);
  readonly #created = performance.now();
  #started: number | undefined;
  #scoringMs = 0;
  #tokens = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly options: RequestScoringOptions,
  ) {}

  /** The scorer of a model: always the same one, so that no pair is put to it twice. */
  scorerOf(model: ServedModel): Scorer {
    return getOrInsert(this.#scorers, model, () => ({
      score: (pairs, options) => this.#score(model, pairs, options as PhaseScoreOptions | undefined),
      close: async () => {},
    }));
  }

  /** Milliseconds from admission to the first batch. */
  get queueMs(): number {
    return (this.#started ?? this.#created) - this.#created;
  }

  /** Milliseconds of waiting for models after the first batch began. */
  get inferenceMs(): number {
    return Math.max(0, this.#scoringMs - this.queueMs);
  }

  /** Tokens of all pairs so far. */
  get tokens(): number {
    return this.#tokens;
  }

  /** The log-odds that a model gave a pair; undefined unless they are kept. */
  logOdds(model: ServedModel, { a, b }: TextPair): number | undefined {
    return this.#odds.get(model)?.get(a)?.get(b);
  }

  async #score(
    model: ServedModel,
    pairs: readonly TextPair[],
    { phase = 'phaseOne', onProgress, onCost }: Partial<PhaseScoreOptions> = {},
  ): Promise<Float32Array> {
    const { client, signal, reservation } = this.options;
    const before = this.#pairs[phase];
    const total = before + pairs.length;
    const report = (done: number) => this.options.onProgress?.({ phase, pairs: before + done, total });
    report(0);
    const began = performance.now();
    let count = countOf([]);
    const odds = await this.scheduler.run({
      model,
      client,
      pairs,
      signal,
      onCounted: (tokens) => (count = countOf(tokens)),
      onStart: () => (this.#started ??= performance.now()),
      onProgress: (done, work) => {
        reservation?.progress(work);
        onProgress?.(done, pairs.length);
        report(done);
      },
    });
    this.#scoringMs += performance.now() - began;
    this.#pairs[phase] = total;
    this.#tokens += count.tokens;
    onCost?.({ tokens: count.tokens, flops: model.shape ? encoderFlops(model.shape, count) : 0 });
    if (this.options.keepOdds) this.#keep(model, pairs, odds);
    return Float32Array.from(odds, sigmoid);
  }

  #keep(model: ServedModel, pairs: readonly TextPair[], odds: Float64Array): void {
    const ofModel = getOrInsert(this.#odds, model, () => new Map());
    pairs.forEach(({ a, b }, i) => getOrInsert(ofModel, a, () => new Map()).set(b, odds[i]));
  }
}
