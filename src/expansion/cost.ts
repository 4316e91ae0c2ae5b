import type { Evidence } from './evidence.js';
import type { PhaseScorers, PhaseUse } from './models.js';
import { eachPhase, phases, type Phase } from './phases.js';

/** The cost of a phase. */
export interface PhaseCost {
  /** Pairs put to the model. */
  readonly pairs: number;
  /** Pairs that would be put to it without exact top-k and without a deadline. */
  readonly exhaustivePairs: number;
  /** Time in which the model had work. */
  readonly seconds: number;
  /** Tokens of those pairs, without padding; 0 for models whose tokens cannot be counted. */
  readonly tokens: number;
  /** Floating-point operations of their matrix products, attention included; 0 likewise. */
  readonly flops: number;
}

/** The cost of a query, in all (`seconds` is then the wall time of the whole call) and by phase. */
export type RerankCost = PhaseCost & Readonly<Record<Phase, PhaseCost>>;

/**
 * The cost of a query.
 *
 * @param exhaustive The pairs that scoring everything would run (those that were run).
 */
export function costOf(
  use: Readonly<Record<Phase, PhaseUse>>,
  seconds: number,
  exhaustive: Readonly<Record<Phase, number>> = eachPhase((phase) => use[phase].pairs),
): RerankCost {
  const ofPhases = eachPhase((phase): PhaseCost => {
    const { pairs, ...others } = use[phase];
    return { pairs, exhaustivePairs: exhaustive[phase], ...others };
  });
  const sum = (count: keyof PhaseCost): number =>
    phases.reduce((total, phase) => total + ofPhases[phase][count], 0);
  return {
    pairs: sum('pairs'),
    exhaustivePairs: sum('exhaustivePairs'),
    seconds,
    tokens: sum('tokens'),
    flops: sum('flops'),
    ...ofPhases,
  };
}

/**
 * Pairs without pruning. Passages are compared only where there are several. Where phase one reads a part of the
 * documents, the likeliest passage of each one has been scored. Where one model does that and gives rel(q,d), it is not
 * asked again. Where another one chooses, phase one's model compares all passages of the leading documents. Equal texts are counted as if they were different.
 */
export function exhaustivePairs(
  { candidates, unread, chunks }: Evidence,
  scorers: PhaseScorers,
  phaseTwo: number,
): Record<Phase, number> {
  const withText = candidates.filter(({ isEmpty }) => !isEmpty).length;
  const choices = candidates.filter(
    ({ likelyPassages }) => likelyPassages.length > (unread.length > 0 ? 0 : 1),
  );
  const leading = candidates.filter(({ isLeading }) => isLeading);
  const scoredByChoice = scorers.bestPassage === scorers.phaseOne ? choices.length : 0;
  return {
    bestPassage: choices.reduce(
      (sum, { likelyPassages }) => sum + likelyPassages.length,
      unread.filter(({ isEmpty }) => !isEmpty).length,
    ),
    phaseOne: withText - scoredByChoice + leading.reduce((sum, { passages }) => sum + passages.length - 1, 0),
    phaseTwo,
    phaseThree: withText * (chunks?.length ?? 0),
  };
}
