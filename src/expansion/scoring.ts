import { type Scorer, type TextPair, encoderFlops, type Meter } from '../bert/index.js';
import { BertQeError, throwIfAborted } from '../common/errors.js';
import type { Deadline } from './deadline.js';

/** The four places where a model is asked. */
export const phases = ['bestPassage', 'phaseOne', 'phaseTwo', 'phaseThree'] as const;
export type Phase = (typeof phases)[number];

/** Written out: an object put together from entries is a slow one, and this happens for every query. */
export function eachPhase<T>(of: (phase: Phase) => T): Record<Phase, T> {
  return {
    bestPassage: of('bestPassage'),
    phaseOne: of('phaseOne'),
    phaseTwo: of('phaseTwo'),
    phaseThree: of('phaseThree'),
  };
}

/** The models of the phases; where one is left out, phase one's serves. */
export interface BertQEScorers {
  /** Chooses each document's best passage. */
  readonly bestPassage?: Scorer;
  /** rel(q,d). */
  readonly phaseOne: Scorer;
  /** rel(q,c). */
  readonly phaseTwo?: Scorer;
  /** rel(c,d). */
  readonly phaseThree?: Scorer;
}

/** A model for each phase; one model may serve several. */
export type PhaseScorers = Readonly<Record<Phase, Scorer>>;

export function forEveryPhase(scorers: BertQEScorers): PhaseScorers {
  return eachPhase((phase) => scorers[phase] ?? scorers.phaseOne);
}

/** Documents that are taken through best passage and phase one together under a deadline. */
const sliceSize = 32;

/** What a phase has run so far; tokens and FLOPs only where the model's meter is known. */
export interface PhaseUse {
  pairs: number;
  seconds: number;
  tokens: number;
  flops: number;
}

export interface ScoringOptions {
  readonly signal?: AbortSignal;
  readonly deadline?: Deadline;
  readonly onPairs?: (phase: Phase, pairs: number) => void;
  /** Those of the models whose tokens can be counted. */
  readonly meters?: ReadonlyMap<Scorer, Meter>;
}

/**
 * Asks the models on behalf of one query. No pair is put to the same model twice, whichever phase asks, and what
 * each phase ran is written down.
 */
export class QueryScoring {
  readonly use: Readonly<Record<Phase, PhaseUse>> = {
    bestPassage: unused(),
    phaseOne: unused(),
    phaseTwo: unused(),
    phaseThree: unused(),
  };
  /** Model → first text → second text → probability. */
  readonly #known = new Map<Scorer, Map<string, Map<string, number>>>();

  constructor(
    private readonly scorers: PhaseScorers,
    private readonly options: ScoringOptions = {},
  ) {}

  /** Whether the deadline has passed; what is known by then must do. */
  get expired(): boolean {
    return this.options.deadline?.expired ?? false;
  }

  /** The probabilities of the pairs, in their order. */
  async score(phase: Phase, pairs: readonly TextPair[]): Promise<Float64Array> {
    const scorer = this.scorers[phase];
    const unknown = this.#claimUnknown(scorer, pairs);
    if (unknown.length > 0) {
      const { signal, onPairs } = this.options;
      throwIfAborted(signal);
      const use = this.use[phase];
      const started = performance.now();
      const before = use.pairs;
      const scores = await scorer.score(unknown, {
        ...(signal ? { signal } : {}),
        ...(onPairs ? { onProgress: (done) => onPairs(phase, before + done) } : {}),
      });
      use.seconds += (performance.now() - started) / 1000;
      use.pairs += unknown.length;
      const meter = this.options.meters?.get(scorer);
      if (meter) {
        const count = meter.count(unknown);
        use.tokens += count.tokens;
        use.flops += encoderFlops(meter.shape, count);
      }
      onPairs?.(phase, use.pairs);
      this.#keep(scorer, unknown, scores, phase);
    }
    const ofModel = this.#ofModel(scorer);
    const scores = new Float64Array(pairs.length);
    pairs.forEach(({ a, b }, i) => (scores[i] = ofModel.get(a)!.get(b)!));
    return scores;
  }

  /**
   * Splits work into rounds. Without a deadline one round holds it all, which lets the scorer form the best
   * batches; with one, rounds are as large as the time left allows, and none follows when it has run out.
   */
  *rounds<T>(phase: Phase, items: readonly T[], pairsOf: (item: T) => number): Generator<readonly T[]> {
    const { deadline } = this.options;
    if (!deadline) {
      if (items.length > 0) yield items;
      return;
    }
    for (let from = 0; from < items.length && !deadline.expired;) {
      const fitting = deadline.fittingPairs(this.use[phase]);
      let to = from;
      for (let pairs = 0; to < items.length && (to === from || pairs < fitting); to++)
        pairs += pairsOf(items[to]);
      yield items.slice(from, to);
      from = to;
    }
  }

  /** All at once, or a few at a time under a deadline: for work that takes more than one model per item. */
  *slices<T>(items: readonly T[]): Generator<readonly T[]> {
    const size = this.options.deadline ? sliceSize : items.length;
    for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
  }

  /** The distinct pairs that the model has not been asked. */
  #claimUnknown(scorer: Scorer, pairs: readonly TextPair[]): TextPair[] {
    const ofModel = this.#ofModel(scorer);
    const unknown: TextPair[] = [];
    for (const pair of pairs) {
      let ofFirst = ofModel.get(pair.a);
      if (!ofFirst) ofModel.set(pair.a, (ofFirst = new Map()));
      if (ofFirst.has(pair.b)) continue;
      ofFirst.set(pair.b, Number.NaN);
      unknown.push(pair);
    }
    return unknown;
  }

  #keep(scorer: Scorer, pairs: readonly TextPair[], scores: Float32Array, phase: Phase): void {
    if (scores.length !== pairs.length) {
      throw new BertQeError(
        'failure',
        `The ${phase} scorer answered ${scores.length} scores for ${pairs.length} pairs.`,
      );
    }
    const ofModel = this.#ofModel(scorer);
    pairs.forEach(({ a, b }, i) => {
      const score = scores[i];
      // The bounds of exact top-k and the logarithm both rest on this.
      if (!(score >= 0 && score <= 1)) {
        throw new BertQeError(
          'failure',
          `The ${phase} scorer answered ${score}; it must give a probability between 0 and 1, not a logit.`,
        );
      }
      ofModel.get(a)!.set(b, score);
    });
  }

  #ofModel(scorer: Scorer): Map<string, Map<string, number>> {
    let ofModel = this.#known.get(scorer);
    if (!ofModel) this.#known.set(scorer, (ofModel = new Map()));
    return ofModel;
  }
}

function unused(): PhaseUse {
  return { pairs: 0, seconds: 0, tokens: 0, flops: 0 };
}
