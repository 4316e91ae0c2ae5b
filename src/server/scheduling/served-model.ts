import type { EncoderShape, Logits, SizeLetter, TextPair } from '../../bert/index.js';

/** The part of a loaded scorer that requests share. */
export interface SharedScorer {
  scoreLogits(
    pairs: readonly TextPair[],
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Logits>;
  /** Tokens of a pair. The tokenised texts are kept for scoring. */
  lengthOf(pair: TextPair): number;
}

/** A loaded model that requests share. */
export interface ServedModel {
  readonly name: string;
  readonly scorer: SharedScorer;
  /** Absent if the model does not describe its layers. */
  readonly shape?: EncoderShape;
  /** The paper's letter for its size, if it has one. */
  readonly size?: SizeLetter;
  readonly precision: string;
  readonly device: string;
  /** The cost of a token relative to the largest model. A token of weight 1 is the unit of work. */
  readonly weight: number;
  /** Tokens of a round: enough for all workers. */
  readonly roundTokens: number;
  /** Tokens of the largest round that a fast model may get; more pairs mean more pairs of equal length. */
  readonly fullRoundTokens: number;
}
