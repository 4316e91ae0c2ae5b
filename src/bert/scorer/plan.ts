import { BertQeError, throwIfAborted } from '../../common/errors.js';
import type { SequenceTotal } from '../cost.js';
import { type Budget, sequenceLength, writeSequence } from '../sequence.js';
import type { PairTemplate, TextPair } from '../types.js';
import { TimeSlice } from '../../common/yield.js';
import type { BatchTask } from './messages.js';
import type { PieceCache } from './piece-cache.js';

export interface PlanOptions {
  readonly pieces: PieceCache;
  readonly template: PairTemplate;
  readonly budget: Budget;
  /** Tokens in a batch; a longer sequence is a batch of its own. */
  readonly batchTokens: number;
  /** Attention scores of a head in a padded batch, rows × length², at most. Default: no limit. */
  readonly headScores?: number;
  /**
   * How much may travel in one message, as long as so many tasks remain that every worker has some; without this,
   * no more than a batch.
   */
  readonly together?: { readonly tokens: number; readonly tasks: number };
  /**
   * How many workers may take batches of a task from each other, and the tokens of a call, at most, that is one such task;
   * without this, every task is one worker's.
   */
  readonly sharing?: { readonly takers: number; readonly tokens: number };
  /** Whether sequences of a batch may differ in length, and are padded; fewer, larger batches then. */
  readonly padded?: boolean;
}

/** Adds the sequences of a task to a total, padding left out. */
export function countTask({ shapes, ends }: BatchTask, total: SequenceTotal): void {
  if (ends) for (const length of ends) total.add(length);
  else for (const { rows, length } of shapes) total.add(length, rows);
}

/** A task for a worker and the pairs its rows belong to. */
export interface PlannedTask {
  readonly task: BatchTask;
  readonly pairs: Int32Array;
  /** How many workers take its batches. */
  readonly workers: number;
}

/** The first window is small, so that workers start at once; later ones grow, so that batches fill. */
const FIRST_WINDOW = 512;
const WINDOW_GROWTH = 4;
const LARGEST_WINDOW = 32_768;

/** A window also ends here: distinct texts cannot be shared, and their ids must not pile up. */
const WINDOW_IDS = 4_000_000;

/** Consecutive pairs, tokenised. */
interface Window {
  readonly start: number;
  readonly first: Int32Array[];
  readonly second: Int32Array[];
}

/** Tokens of the sequence that a pair becomes; its texts are then known to the cache. */
export function lengthOf({ a, b }: TextPair, { pieces, budget, template }: PlanOptions): number {
  const first = cut(pieces.get(a), budget.first);
  const second = cut(pieces.get(b), budget.second);
  return sequenceLength(template, first, second);
}

/** At most so many; most texts are kept whole, and a view of each would cost more than to look it up. */
function cut(pieces: Int32Array, most: number): Int32Array {
  return pieces.length > most ? pieces.subarray(0, most) : pieces;
}

/**
 * Turns pairs into tasks: window by window, all pairs of a window sorted by length, longest first, and batched with
 * others of exactly their length, so that nothing is padded, or with those next to them in length. While one window's
 * tasks are taken, the next is tokenised; memory is that of two windows, whatever the number of pairs.
 */
export async function* plan(
  pairs: readonly TextPair[],
  options: PlanOptions,
  signal?: AbortSignal,
): AsyncGenerator<PlannedTask> {
  let size = FIRST_WINDOW;
  let upcoming: Promise<Window> | undefined = tokenise(pairs, 0, size, options, signal);
  while (upcoming) {
    const window: Window = await upcoming;
    const end = window.start + window.first.length;
    size = Math.min(size * WINDOW_GROWTH, LARGEST_WINDOW);
    upcoming = end < pairs.length ? tokenise(pairs, end, size, options, signal) : undefined;
    // Heard when it is awaited; until then a failure must not count as unhandled.
    upcoming?.catch(() => {});
    yield* tasks(window, options, window.start === 0 && upcoming === undefined);
  }
}

async function tokenise(
  pairs: readonly TextPair[],
  start: number,
  size: number,
  { pieces, budget }: PlanOptions,
  signal: AbortSignal | undefined,
): Promise<Window> {
  const window: Window = { start, first: [], second: [] };
  const slice = new TimeSlice();
  const end = Math.min(start + size, pairs.length);
  let ids = 0;
  for (let i = start; i < end && ids < WINDOW_IDS; i++) {
    const { a, b } = pairs[i] ?? {};
    if (typeof a !== 'string' || typeof b !== 'string') {
      throw new BertQeError('usage', `Pair ${i} must be {a, b} with two strings.`);
    }
    const first = cut(pieces.get(a), budget.first);
    const second = cut(pieces.get(b), budget.second);
    window.first.push(first);
    window.second.push(second);
    ids += first.length + second.length;
    if (slice.isOver) {
      await slice.yield();
      throwIfAborted(signal);
    }
  }
  return window;
}

function tasks(window: Window, options: PlanOptions, isWholeCall: boolean): Generator<PlannedTask> {
  const sorted = byLength(window, options.template);
  const { padded, sharing } = options;
  if (padded) return paddedTasks(window, sorted, options);
  if (isWholeCall && sharing && sharing.takers > 1 && sum(sorted.lengths) <= sharing.tokens)
    return sharedTask(window, sorted, options, sharing.takers);
  return evenTasks(window, sorted, options);
}

/** A batch a task, each padded to its first, which is its longest. */
function* paddedTasks(
  window: Window,
  { order, lengths }: Sorted,
  { batchTokens, headScores = Infinity, template }: PlanOptions,
): Generator<PlannedTask> {
  let from = 0;
  while (from < order.length) {
    const length = lengths[order[from]];
    const rows = Math.max(1, Math.floor(Math.min(batchTokens, headScores / length) / length));
    const to = Math.min(order.length, from + rows);
    const places = order.subarray(from, to);
    const ends = Int32Array.from(places, (place) => lengths[place]);
    yield assemble(window, template, places, [{ rows: to - from, length }], (to - from) * length, ends);
    from = to;
  }
}

/** Batches of one length each, one or several a task. */
function* evenTasks(window: Window, sorted: Sorted, options: PlanOptions): Generator<PlannedTask> {
  const { batchTokens, template } = options;
  const { order, lengths } = sorted;
  let from = 0;
  const taskTokens = taskTokensFor(lengths, options);
  while (from < order.length) {
    const shapes: { rows: number; length: number }[] = [];
    let tokens = 0;
    let to = from;
    // Small batches travel together, to spare messages; of light models full ones too.
    while (to < order.length && tokens < taskTokens) {
      const length = lengths[order[to]];
      const rows = rowsFrom(to, sorted, Math.min(batchTokens, taskTokens - tokens));
      if (shapes.length > 0 && tokens + rows * length > taskTokens) break;
      shapes.push({ rows, length });
      tokens += rows * length;
      to += rows;
    }
    yield assemble(window, template, order.subarray(from, to), shapes, tokens);
    from = to;
  }
}

/** Batches that each worker should find in a shared task: with fewer, one of them waits for the other's last. */
const BATCHES_PER_TAKER = 4;

/** All batches in one task, the largest first, so that workers which take them from each other end together. */
function* sharedTask(
  window: Window,
  sorted: Sorted,
  { batchTokens, template }: PlanOptions,
  takers: number,
): Generator<PlannedTask> {
  const { order, lengths } = sorted;
  if (order.length === 0) return;
  const all = sum(lengths);
  const most = Math.min(batchTokens, Math.ceil(all / (takers * BATCHES_PER_TAKER)));
  const batches: { readonly places: Int32Array; readonly rows: number; readonly length: number }[] = [];
  for (let from = 0; from < order.length;) {
    const rows = rowsFrom(from, sorted, most);
    batches.push({ places: order.subarray(from, from + rows), rows, length: lengths[order[from]] });
    from += rows;
  }
  batches.sort((a, b) => b.rows * b.length - a.rows * a.length);
  const places = new Int32Array(order.length);
  let at = 0;
  for (const batch of batches) {
    places.set(batch.places, at);
    at += batch.rows;
  }
  const shapes = batches.map(({ rows, length }) => ({ rows, length }));
  yield { ...assemble(window, template, places, shapes, all), workers: takers };
}

/** How many sequences from a place on are of one length and have at most so many tokens together; at least one. */
function rowsFrom(from: number, { order, lengths }: Sorted, mostTokens: number): number {
  const length = lengths[order[from]];
  const end = Math.min(order.length, from + Math.max(1, Math.floor(mostTokens / length)));
  let to = from + 1;
  while (to < end && lengths[order[to]] === length) to++;
  return to - from;
}

function taskTokensFor(lengths: Uint32Array, { batchTokens, together }: PlanOptions): number {
  if (!together) return batchTokens;
  return Math.max(batchTokens, Math.min(together.tokens, Math.floor(sum(lengths) / together.tasks)));
}

function sum(lengths: Uint32Array): number {
  let all = 0;
  for (const length of lengths) all += length;
  return all;
}

/** Places in a window by falling length, and the length of each. */
interface Sorted {
  readonly order: Int32Array;
  readonly lengths: Uint32Array;
}

/** A counting sort. */
function byLength(window: Window, template: PairTemplate): Sorted {
  const lengths = new Uint32Array(window.first.length);
  window.first.forEach((first, i) => (lengths[i] = sequenceLength(template, first, window.second[i])));
  const starts = new Int32Array(lengths.reduce((most, length) => Math.max(most, length), 0) + 2);
  for (const length of lengths) starts[length]++;
  // starts[length] becomes the number of longer pairs, which is where this length begins.
  let longer = 0;
  for (let length = starts.length - 1; length >= 0; length--) {
    const count = starts[length];
    starts[length] = longer;
    longer += count;
  }
  const order = new Int32Array(lengths.length);
  lengths.forEach((length, i) => (order[starts[length]++] = i));
  return { order, lengths };
}

function assemble(
  window: Window,
  template: PairTemplate,
  places: Int32Array,
  shapes: BatchTask['shapes'],
  tokens: number,
  ends?: Int32Array<ArrayBuffer>,
): PlannedTask {
  const ids = new Int32Array(tokens);
  const splits = new Int32Array(places.length);
  let at = 0;
  places.forEach((place, row) => {
    const first = window.first[place];
    const second = window.second[place];
    splits[row] = writeSequence(ids, at, template, first, second);
    at += ends ? shapes[0].length : sequenceLength(template, first, second);
  });
  return {
    task: { ids, splits, shapes, ...(ends ? { ends } : {}) },
    pairs: places.map((place) => window.start + place),
    workers: 1,
  };
}
