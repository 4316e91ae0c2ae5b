import type { SearchProgress } from '../model/answer.js';

/** The phases in their order, as they are called on the page. */
export const phaseNames: readonly {
  readonly phase: SearchProgress['phase'];
  readonly name: string;
  /** The question that is put to the model. */
  readonly asks: string;
}[] = [
  { phase: 'bestPassage', name: 'Best passages', asks: 'query × every passage' },
  { phase: 'phaseOne', name: 'Phase one', asks: 'query × best passage' },
  { phase: 'phaseTwo', name: 'Phase two', asks: 'query × chunks of the top' },
  { phase: 'phaseThree', name: 'Phase three', asks: 'chunks × best passage' },
];
