import {
  type TextPair,
  sequenceCount,
  type EncoderShape,
  type Meter,
  type SequenceCount,
} from '../../bert/index.js';

const charactersPerToken = 4.4;
const longest = 384;

/** A guess at the tokens of models whose layers are not described; their FLOPs are not known. */
export class CharacterMeter implements Meter {
  readonly shape: EncoderShape = { layers: 0, hidden: 0, intermediate: 0 };

  count(pairs: readonly TextPair[]): SequenceCount {
    return sequenceCount(pairs, (pair) => this.lengthOf(pair));
  }

  lengthOf({ a, b }: TextPair): number {
    return Math.min(longest, 3 + Math.ceil((a.length + b.length) / charactersPerToken));
  }
}
