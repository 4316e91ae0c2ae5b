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

/** The cost of a query: the pairs that were run beside those that scoring everything would run. */
export function costOf(
  evidence: Evidence,
  scorers: PhaseScorers,
  use: Readonly<Record<Phase, PhaseUse>>,
  seconds: number,
): RerankCost {
  return sumOf(exhaustivePairs(evidence, scorers, use.phaseTwo.pairs), use, seconds);
}

/** The cost of a query whose pairs were all run. */
export function unprunedCost(use: Readonly<Record<Phase, PhaseUse>>, seconds: number): RerankCost {
  return sumOf(
    eachPhase((phase) => use[phase].pairs),
    use,
    seconds,
  );
}

function sumOf(
  exhaustive: Readonly<Record<Phase, number>>,
  use: Readonly<Record<Phase, PhaseUse>>,
  seconds: number,
): RerankCost {
  const ofPhases = eachPhase((phase): PhaseCost => {
    const { pairs, seconds: ofModel, tokens, flops } = use[phase];
    return { pairs, exhaustivePairs: exhaustive[phase], seconds: ofModel, tokens, flops };
  });
  const sum = (count: (phase: PhaseCost) => number): number =>
    phases.reduce((total, phase) => total + count(ofPhases[phase]), 0);
  return {
    pairs: sum(({ pairs }) => pairs),
    exhaustivePairs: sum((phase) => phase.exhaustivePairs),
    seconds,
    tokens: sum(({ tokens }) => tokens),
    flops: sum(({ flops }) => flops),
    ...ofPhases,
  };
}

/**
 * Pairs without pruning. Passages are compared only where there are several. Where phase one reads a part of the
 * documents, the likeliest passage of each one has been scored. Where one model does that and gives rel(q,d), it is not
 * asked again. Where another one chooses, phase one's model compares all passages of the
 * leading documents. Equal texts are counted as if they were different.
 */
function exhaustivePairs(
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
