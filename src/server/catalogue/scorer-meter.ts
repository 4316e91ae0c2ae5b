import type { BertScorer, TextPair } from '../../bert/index.js';
import type { EncoderShape, Meter, SequenceCount } from '../../cost/index.js';

/** Counts with the scorer's own tokenizer and its cache: a text that was counted is not tokenised again to be scored. */
export class ScorerMeter implements Meter {
  constructor(
    readonly shape: EncoderShape,
    private readonly scorer: Pick<BertScorer, 'lengthOf'>,
  ) {}

  count(pairs: readonly TextPair[]): SequenceCount {
    let tokens = 0;
    let squaredTokens = 0;
    for (const pair of pairs) {
      const length = this.scorer.lengthOf(pair);
      tokens += length;
      squaredTokens += length * length;
    }
    return { sequences: pairs.length, tokens, squaredTokens };
  }
}
