import {
  type BertScorer,
  type TextPair,
  sequenceCount,
  type EncoderShape,
  type Meter,
  type SequenceCount,
} from '../../bert/index.js';

/** Counts with the scorer's own tokenizer and its cache: a text that was counted is not tokenised again to be scored. */
export class ScorerMeter implements Meter {
  constructor(
    readonly shape: EncoderShape,
    private readonly scorer: Pick<BertScorer, 'lengthOf'>,
  ) {}

  count(pairs: readonly TextPair[]): SequenceCount {
    return sequenceCount(pairs, (pair) => this.lengthOf(pair));
  }

  lengthOf(pair: TextPair): number {
    return this.scorer.lengthOf(pair);
  }
}
