import {
  countOf,
  encoderFlops,
  type ScoreOptions,
  type Scorer,
  sigmoid,
  type TextPair,
} from '../../bert/index.js';
import { phases, type Phase, type RerankProgress } from '../../expansion/index.js';
import type { Ticket } from './admission.js';
import type { Engine } from './engine.js';
import type { Scheduler } from './scheduler.js';

/** Whom a request is scored for, and whom to tell. */
export interface RequestScoringOptions {
  readonly client: string;
  readonly signal: AbortSignal;
  /** Keeps the log-odds of every pair, for raw scores (false). */
  readonly keepOdds?: boolean;
  readonly onProgress?: (progress: RerankProgress & { readonly total: number }) => void;
}

/** What a phase ran on the models. */
interface Counted {
  pairs: number;
  tokens: number;
  flops: number;
}

/** The models as one request sees them: its pairs go through the scheduler, and what they cost is written down. */
export class RequestScoring {
  readonly use: Readonly<Record<Phase, Counted>> = {
    bestPassage: unused(),
    phaseOne: unused(),
    phaseTwo: unused(),
    phaseThree: unused(),
  };
  /** Told of the work that is done; absent for what needs no admission. */
  ticket: Pick<Ticket, 'progress'> | undefined;
  readonly #scorers = new Map<Engine, Scorer>();
  readonly #odds = new Map<Engine, Map<string, Map<string, number>>>();
  readonly #created = performance.now();
  #started: number | undefined;
  #phase: Phase = 'bestPassage';
  #scoringSeconds = 0;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly options: RequestScoringOptions,
  ) {}

  /** Always the same scorer for an engine, so that no pair is put to it twice. */
  scorerOf(engine: Engine): Scorer {
    let scorer = this.#scorers.get(engine);
    if (!scorer) {
      scorer = { score: (pairs, options) => this.#score(engine, pairs, options), close: async () => {} };
      this.#scorers.set(engine, scorer);
    }
    return scorer;
  }

  /** To be given to `BertQE.rerank`: it is how the phase that asks becomes known. */
  readonly onProgress = ({ phase }: RerankProgress): void => {
    this.#phase = phase;
  };

  /** Milliseconds from admission to the first batch. */
  get queueMs(): number {
    return (this.#started ?? this.#created) - this.#created;
  }

  /** Milliseconds spent waiting for models, once they had started. */
  get inferenceMs(): number {
    return Math.max(0, 1000 * this.#scoringSeconds - this.queueMs);
  }

  get tokens(): number {
    return phases.reduce((sum, phase) => sum + this.use[phase].tokens, 0);
  }

  /** The log-odds that a model gave a pair; undefined unless they are kept. */
  logOdds(engine: Engine, { a, b }: TextPair): number | undefined {
    return this.#odds.get(engine)?.get(a)?.get(b);
  }

  async #score(
    engine: Engine,
    pairs: readonly TextPair[],
    { onProgress }: ScoreOptions = {},
  ): Promise<Float32Array> {
    const { client, signal } = this.options;
    // Answered at once, by the phase that asks.
    onProgress?.(0, pairs.length);
    const use = this.use[this.#phase];
    const total = use.pairs + pairs.length;
    const report = (done: number) =>
      this.options.onProgress?.({ phase: this.#phase, pairs: total - pairs.length + done, total });
    report(0);
    const began = performance.now();
    let count = countOf([]);
    const odds = await this.scheduler.run({
      engine,
      client,
      pairs,
      signal,
      onMeasured: (lengths) => (count = countOf(lengths)),
      onStart: () => (this.#started ??= performance.now()),
      onProgress: (done, work) => {
        this.ticket?.progress(work);
        onProgress?.(done, pairs.length);
        report(done);
      },
    });
    this.#scoringSeconds += (performance.now() - began) / 1000;
    use.pairs = total;
    use.tokens += count.tokens;
    use.flops += encoderFlops(engine.meter.shape, count);
    if (this.options.keepOdds) this.#remember(engine, pairs, odds);
    return Float32Array.from(odds, sigmoid);
  }

  #remember(engine: Engine, pairs: readonly TextPair[], odds: Float64Array): void {
    let ofEngine = this.#odds.get(engine);
    if (!ofEngine) this.#odds.set(engine, (ofEngine = new Map()));
    for (const [i, { a, b }] of pairs.entries()) {
      let ofFirst = ofEngine.get(a);
      if (!ofFirst) ofEngine.set(a, (ofFirst = new Map()));
      ofFirst.set(b, odds[i]);
    }
  }
}

function unused(): Counted {
  return { pairs: 0, tokens: 0, flops: 0 };
}
