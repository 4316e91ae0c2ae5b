import { usageError } from '../common/errors.js';
import type { PairTemplate } from './types.js';

/** The published length: 384 tokens, of which the query or chunk with its special tokens has 128. */
export const DEFAULT_MAX_LENGTH = 384;

/** The number of word pieces of each text that a sequence keeps. */
export interface Budget {
  readonly first: number;
  readonly second: number;
}

/**
 * The truncation of the authors' code: at 384, the first text keeps 126 pieces (128 with [CLS] and [SEP]), the second
 * 254. Other lengths are divided in the same proportion, one third to two thirds.
 */
export function budgetFor(maxLength: number, template: PairTemplate): Budget {
  const third = Math.floor(maxLength / 3);
  const first = third - template.before.length - template.between.length;
  const second = maxLength - third - template.after.length - 1;
  if (first < 1 || second < 1) {
    throw usageError(`A maximum length of ${maxLength} leaves no room for two texts; use 16 or more.`);
  }
  return { first, second };
}

/** The length of a sequence in tokens: pieces of both texts and the special tokens around them. */
export function sequenceLength(template: PairTemplate, first: Int32Array, second: Int32Array): number {
  const { before, between, after } = template;
  return before.length + first.length + between.length + second.length + after.length;
}

/** Writes a sequence into `ids` from `start` on; returns the position in it of the second text's first token. */
export function writeSequence(
  ids: Int32Array,
  start: number,
  { before, between, after }: PairTemplate,
  first: Int32Array,
  second: Int32Array,
): number {
  let at = start;
  for (const part of [before, first, between]) {
    ids.set(part, at);
    at += part.length;
  }
  ids.set(second, at);
  ids.set(after, at + second.length);
  return at - start;
}
