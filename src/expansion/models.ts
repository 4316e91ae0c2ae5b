import type { Scorer, ScoreOptions, ScoringCost, TextPair } from '../bert/index.js';
import { BertQeError, throwIfAborted } from '../common/errors.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { mapInSlices, TimeSlice } from '../common/yield.js';
import { eachPhase, phases, type Phase } from './phases.js';

/** The models of the phases. Phase one's serves where another is left out. */
export interface BertQEScorers {
  /** Chooses each document's best passage. */
  readonly bestPassage?: Scorer;
  /** Gives rel(q,d). */
  readonly phaseOne: Scorer;
  /** Gives rel(q,c). */
  readonly phaseTwo?: Scorer;
  /** Gives rel(c,d). */
  readonly phaseThree?: Scorer;
}

/** A model for each phase. One model may serve several. */
export type PhaseScorers = Readonly<Record<Phase, Scorer>>;

export function forEveryPhase(scorers: BertQEScorers): PhaseScorers {
  return eachPhase((phase) => scorers[phase] ?? scorers.phaseOne);
}

/** The options with which {@link BertQE} calls a scorer: it also says which phase asks. */
export interface PhaseScoreOptions extends ScoreOptions {
  readonly phase: Phase;
}

/** The limits of a model's input. */
type PairLimits = Pick<ScoreOptions, 'secondPieces'>;

/** The work of a phase so far. */
export interface PhaseUse {
  pairs: number;
  seconds: number;
  tokens: number;
  flops: number;
}

/** The progress of a query. */
export interface RerankProgress {
  readonly phase: Phase;
  /** Pairs that this phase has run so far. */
  readonly pairs: number;
}

/** Options to follow and to stop a query. */
export interface QueryOptions {
  /** Stops the work between two batches. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: RerankProgress) => void;
}

/**
 * The models as one query asks them. No pair is put to the same model twice, whichever phase asks. The use of each
 * phase is counted.
 */
export class QueryModels {
  readonly use: Readonly<Record<Phase, PhaseUse>> = eachPhase(() => ({
    pairs: 0,
    seconds: 0,
    tokens: 0,
    flops: 0,
  }));
  /** Model → first text → second text → probability; NaN while the model is asked. */
  readonly #known = new Map<Scorer, Map<string, Map<string, number>>>();

  constructor(
    private readonly scorers: PhaseScorers,
    private readonly options: QueryOptions,
  ) {}

  /** Aborts when the query is given up. */
  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** Pairs that the models have scored so far. */
  get pairs(): number {
    return phases.reduce((sum, phase) => sum + this.use[phase].pairs, 0);
  }

  /** True if two phases have the same model. */
  isSame(one: Phase, other: Phase): boolean {
    return this.scorers[one] === this.scorers[other];
  }

  /** rel(q,·): the probability of each text that it is relevant to the query. */
  async relevance(
    phase: Phase,
    query: string,
    texts: readonly string[],
    limits?: PairLimits,
  ): Promise<Float64Array> {
    const pairs = await mapInSlices(texts, this.signal, (text) => ({ a: query, b: text }));
    return this.score(phase, pairs, limits);
  }

  /** Probabilities of the pairs, in their order. */
  async score(phase: Phase, pairs: readonly TextPair[], limits: PairLimits = {}): Promise<Float64Array> {
    const scorer = this.scorers[phase];
    const known = getOrInsert(this.#known, scorer, () => new Map<string, Map<string, number>>());
    const slice = new TimeSlice();
    const unknown: TextPair[] = [];
    for (let i = 0; i < pairs.length; i++) {
      if (isCheck(i) && slice.isOver) await this.#yield(slice);
      if (addIfUnknown(known, pairs[i])) unknown.push(pairs[i]);
    }
    if (unknown.length > 0) {
      const scores = checked(await this.#ask(scorer, phase, unknown, limits), unknown.length, phase);
      for (let i = 0; i < unknown.length; i++) {
        if (isCheck(i) && slice.isOver) await this.#yield(slice);
        known.get(unknown[i].a)!.set(unknown[i].b, scores[i]);
      }
    }
    const scores = new Float64Array(pairs.length);
    for (let i = 0; i < pairs.length; i++) {
      if (isCheck(i) && slice.isOver) await this.#yield(slice);
      scores[i] = known.get(pairs[i].a)!.get(pairs[i].b)!;
    }
    return scores;
  }

  async #yield(slice: TimeSlice): Promise<void> {
    await slice.yield();
    throwIfAborted(this.signal);
  }

  async #ask(
    scorer: Scorer,
    phase: Phase,
    pairs: readonly TextPair[],
    limits: PairLimits,
  ): Promise<Float32Array> {
    const { signal, onProgress } = this.options;
    throwIfAborted(signal);
    const use = this.use[phase];
    const started = performance.now();
    const before = use.pairs;
    const options: PhaseScoreOptions = {
      phase,
      ...limits,
      onCost: ({ tokens, flops }: ScoringCost) => {
        use.tokens += tokens;
        use.flops += flops;
      },
      signal,
      onProgress: onProgress && ((done) => onProgress({ phase, pairs: before + done })),
    };
    const scores = await scorer.score(pairs, options);
    use.seconds += (performance.now() - started) / 1000;
    use.pairs += pairs.length;
    onProgress?.({ phase, pairs: use.pairs });
    return scores;
  }
}

/** Pairs between two checks of the clock. */
const pairsPerCheck = 256;

function isCheck(i: number): boolean {
  return i > 0 && i % pairsPerCheck === 0;
}

/** Adds a pair that is not in the map; false where it is there. */
function addIfUnknown(known: Map<string, Map<string, number>>, { a, b }: TextPair): boolean {
  let ofFirst = known.get(a);
  if (!ofFirst) known.set(a, (ofFirst = new Map()));
  if (ofFirst.has(b)) return false;
  ofFirst.set(b, Number.NaN);
  return true;
}

/** Checks an answer: the bounds of exact top-k and the logarithm need probabilities. */
function checked(scores: Float32Array, pairs: number, phase: Phase): Float32Array {
  if (scores.length !== pairs) {
    throw new BertQeError(
      'failure',
      `The ${phase} scorer answered ${scores.length} scores for ${pairs} pairs.`,
    );
  }
  for (const score of scores) {
    if (score >= 0 && score <= 1) continue;
    throw new BertQeError(
      'failure',
      `The ${phase} scorer answered ${score}; it must give a probability between 0 and 1, not a logit.`,
    );
  }
  return scores;
}
