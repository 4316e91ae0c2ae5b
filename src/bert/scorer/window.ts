import { TimeSlice } from '../../common/yield.js';
import { throwIfAborted, usageError } from '../../common/errors.js';
import { countOf, scoringCost } from '../cost.js';
import { type Budget, budgetFor, sequenceLength } from '../sequence.js';
import type { EncoderShape } from '../sizes.js';
import type { PairTemplate, ScoreOptions, ScoringCost, TextPair, Tokenizer } from '../types.js';
import { PieceCache } from './piece-cache.js';

/** The encoding of pairs as sequences of tokens. */
export interface Encoding {
  readonly pieces: PieceCache;
  readonly template: PairTemplate;
  readonly budget: Budget;
}

/** The encoding of a model, which reads sequences of this length; `cachedIds` are those of texts that are kept. */
export function encodingOf(tokenizer: Tokenizer, maxLength: number, cachedIds?: number): Encoding {
  const { template } = tokenizer;
  const budget = budgetFor(maxLength, template);
  const pieces = new PieceCache(tokenizer, Math.max(budget.first, budget.second), cachedIds);
  return { pieces, template, budget };
}

/** The encoding with fewer word pieces of the second text, where a call asks for that. */
export function limited<E extends Encoding>(
  encoding: E,
  { secondPieces = Infinity }: Pick<ScoreOptions, 'secondPieces'>,
): E {
  const { budget } = encoding;
  return secondPieces >= budget.second
    ? encoding
    : { ...encoding, budget: { ...budget, second: secondPieces } };
}

/** Consecutive pairs of a call, tokenised and truncated, and their order by falling length. */
export interface EncodedWindow {
  /** The place of its first pair in the call. */
  readonly start: number;
  readonly first: readonly Int32Array[];
  readonly second: readonly Int32Array[];
  readonly lengths: Uint32Array;
  /** Places in the window, those of the longest sequences first. */
  readonly order: Int32Array;
  readonly tokens: number;
  /** The window holds all pairs of the call. */
  readonly isWholeCall: boolean;
}

/** The first window is small, so that workers start at once; later ones grow, so that batches fill. */
const FIRST_PAIRS = 512;
const GROWTH = 4;
const MOST_PAIRS = 32_768;

/** The most ids in a window: distinct texts have nothing in common, and their ids must not pile up. */
const MOST_IDS = 4_000_000;

/**
 * The windows of a call. While the tasks of one window are taken, the next is tokenised; memory is that of two windows,
 * whatever the number of pairs.
 */
export async function* windows(
  pairs: readonly TextPair[],
  encoding: Encoding,
  signal?: AbortSignal,
): AsyncGenerator<EncodedWindow> {
  let size = FIRST_PAIRS;
  let upcoming: Promise<EncodedWindow> | undefined = tokenise(pairs, 0, size, encoding, signal);
  while (upcoming) {
    const window: EncodedWindow = await upcoming;
    const end = window.start + window.order.length;
    size = Math.min(size * GROWTH, MOST_PAIRS);
    upcoming = end < pairs.length ? tokenise(pairs, end, size, encoding, signal) : undefined;
    // A failure is thrown when this is awaited; until then it must not count as unhandled.
    upcoming?.catch(() => {});
    yield window;
  }
}

/** The length of the sequence that a pair becomes; its texts are then in the cache. */
export function lengthOf({ a, b }: TextPair, { pieces, budget, template }: Encoding): number {
  return sequenceLength(template, cut(pieces.get(a), budget.first), cut(pieces.get(b), budget.second));
}

/** The cost of pairs to a model of this shape, without scoring them; undefined where the shape is not known. */
export function costOf(
  pairs: readonly TextPair[],
  encoding: Encoding,
  shape: EncoderShape | undefined,
  options: Pick<ScoreOptions, 'secondPieces'> = {},
): ScoringCost | undefined {
  const cut = limited(encoding, options);
  return shape && scoringCost(shape, countOf(pairs.map((pair) => lengthOf(pair, cut))));
}

/** At most so many pieces; most texts are kept whole, and a view of each would cost more than the lookup. */
function cut(pieces: Int32Array, most: number): Int32Array {
  return pieces.length > most ? pieces.subarray(0, most) : pieces;
}

async function tokenise(
  pairs: readonly TextPair[],
  start: number,
  size: number,
  { pieces, budget, template }: Encoding,
  signal: AbortSignal | undefined,
): Promise<EncodedWindow> {
  const first: Int32Array[] = [];
  const second: Int32Array[] = [];
  const slice = new TimeSlice();
  const end = Math.min(start + size, pairs.length);
  let ids = 0;
  for (let i = start; i < end && ids < MOST_IDS; i++) {
    const { a, b } = pairs[i] ?? {};
    if (typeof a !== 'string' || typeof b !== 'string') {
      throw usageError(`Pair ${i} must be {a, b} with two strings.`);
    }
    const ofA = cut(pieces.get(a), budget.first);
    const ofB = cut(pieces.get(b), budget.second);
    first.push(ofA);
    second.push(ofB);
    ids += ofA.length + ofB.length;
    if (slice.isOver) {
      await slice.yield();
      throwIfAborted(signal);
    }
  }
  const lengths = new Uint32Array(first.length);
  let tokens = 0;
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = sequenceLength(template, first[i], second[i]);
    tokens += lengths[i];
  }
  const isWholeCall = first.length === pairs.length;
  return { start, first, second, lengths, order: byFallingLength(lengths), tokens, isWholeCall };
}

/** A counting sort. */
function byFallingLength(lengths: Uint32Array): Int32Array {
  const starts = new Int32Array(lengths.reduce((most, length) => Math.max(most, length), 0) + 2);
  for (const length of lengths) starts[length]++;
  // starts[length] becomes the number of longer sequences, which is where this length begins.
  let longer = 0;
  for (let length = starts.length - 1; length >= 0; length--) {
    const count = starts[length];
    starts[length] = longer;
    longer += count;
  }
  const order = new Int32Array(lengths.length);
  lengths.forEach((length, i) => (order[starts[length]++] = i));
  return order;
}
