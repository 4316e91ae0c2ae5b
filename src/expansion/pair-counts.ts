import type { Candidate } from './candidate.js';
import type { PhaseCost, RerankCost } from './result.js';
import { eachPhase, phases, type Phase, type PhaseScorers, type PhaseUse } from './scoring.js';

/** What a query ran, beside what it would run if every pair were scored. */
export function costOf(
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
 * Pairs without pruning. Passages are compared only where there are several, and where the same model chooses the
 * passage and gives rel(q,d), choosing it has scored it. Equal texts are counted as if they were different.
 */
export function exhaustivePairs(
  candidates: readonly Candidate[],
  chunks: number,
  scorers: PhaseScorers,
  phaseTwo: number,
): Record<Phase, number> {
  const withText = candidates.filter(({ isEmpty }) => !isEmpty).length;
  const choices = candidates.filter(({ passages }) => passages.length > 1);
  const scoredByChoice = scorers.bestPassage === scorers.phaseOne ? choices.length : 0;
  return {
    bestPassage: choices.reduce((sum, { passages }) => sum + passages.length, 0),
    phaseOne: withText - scoredByChoice,
    phaseTwo,
    phaseThree: withText * chunks,
  };
}
