import type { EncoderShape } from './sizes.js';
import type { ScoringCost } from './types.js';

/** The amount of text that went through an encoder. */
interface SequenceCount {
  readonly sequences: number;
  /** Of all sequences together, special ones included. */
  readonly tokens: number;
  /** The sum of the squares of the sequences' lengths, with which the cost of attention grows. */
  readonly squaredTokens: number;
}

/** A {@link SequenceCount} that grows. */
export class SequenceTotal implements SequenceCount {
  sequences = 0;
  tokens = 0;
  squaredTokens = 0;

  add(length: number, sequences = 1): void {
    this.sequences += sequences;
    this.tokens += sequences * length;
    this.squaredTokens += sequences * length ** 2;
  }
}

/** Counts sequences by their lengths in tokens. */
export function countOf(lengths: ArrayLike<number>): SequenceCount {
  const total = new SequenceTotal();
  for (let i = 0; i < lengths.length; i++) total.add(lengths[i]);
  return total;
}

/**
 * FLOPs of a token's matrix products with the weights of all layers, a multiplication and an addition each: query, key,
 * value and output 4H², feed-forward 2HI. That is 24H² a layer where I = 4H.
 */
export function weightFlops({ layers, hidden, intermediate }: EncoderShape): number {
  return layers * 2 * (4 * hidden ** 2 + 2 * hidden * intermediate);
}

/**
 * FLOPs of all matrix products of a cross-encoder for sequences of these lengths, without padding: the layers' weights,
 * the two attention products (n²·H each), the pooler and a classifier of two labels.
 */
export function encoderFlops(
  shape: EncoderShape,
  { sequences, tokens, squaredTokens }: SequenceCount,
): number {
  const { layers, hidden } = shape;
  const attention = layers * 2 * (2 * hidden) * squaredTokens;
  const head = 2 * hidden ** 2 + 2 * 2 * hidden;
  return tokens * weightFlops(shape) + attention + sequences * head;
}

export function scoringCost(shape: EncoderShape, count: SequenceCount): ScoringCost {
  return { tokens: count.tokens, flops: encoderFlops(shape, count) };
}
