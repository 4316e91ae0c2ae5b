import type { Logits, TextPair, Meter } from '../../bert/index.js';

/** The part of a loaded model that the scheduler needs. */
export interface LogitScorer {
  scoreLogits(pairs: readonly TextPair[], options?: { readonly signal?: AbortSignal }): Promise<Logits>;
}

/** A loaded model, as requests share it. */
export interface Engine {
  readonly name: string;
  readonly scorer: LogitScorer;
  readonly meter: Meter;
  /** What a token costs on it, relative to the other engines: the unit of work is a token of weight 1. */
  readonly weight: number;
  /** Tokens that are handed to it at a time: enough for all of its workers. */
  readonly roundTokens: number;
  /** Tokens that may go to it at a time while that is quickly done: of more pairs, more have the same length. */
  readonly fullRoundTokens?: number;
}
