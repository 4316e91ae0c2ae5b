import {
  onGrid,
  type BlockMaxima,
  type TermScorer,
  type TermStatistics,
  type WeightingModel,
} from './model.js';

/** The dot product: the frequency of a term in a document, times `step`, is the term's weight there. */
export class DotProduct implements WeightingModel {
  readonly name = 'dot product';

  /** @param step The weight that a frequency of 1 stands for. */
  constructor(readonly step = 1) {}

  forTerm(_statistics: TermStatistics, weight: number): TermScorer {
    const score = (frequency: number): number => onGrid(weight * this.step * frequency);
    return { score, bound: ({ maxFrequency }: BlockMaxima) => score(maxFrequency) };
  }
}
