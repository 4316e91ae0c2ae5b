/** The four questions that are put to a model. */
export const phases = ['bestPassage', 'phaseOne', 'phaseTwo', 'phaseThree'] as const;

/**
 * A question that is put to a model: which passage of a document is best, rel(q,d), rel(q,c) or rel(c,d).
 */
export type Phase = (typeof phases)[number];

/** An object with an entry for each phase. */
export function eachPhase<T>(of: (phase: Phase) => T): Record<Phase, T> {
  return {
    bestPassage: of('bestPassage'),
    phaseOne: of('phaseOne'),
    phaseTwo: of('phaseTwo'),
    phaseThree: of('phaseThree'),
  };
}
