import type { SequenceTotal } from '../cost.js';
import type { BatchForm } from '../graph/index.js';
import { writeSequence } from '../sequence.js';
import type { TextPair } from '../types.js';
import type { BatchTask } from './messages.js';
import { type Encoding, type EncodedWindow, windows } from './window.js';

export interface PlanOptions extends Encoding {
  /** The most tokens in a batch; a longer sequence is a batch of its own. */
  readonly batchTokens: number;
  /** The form of batches (`equal`). */
  readonly batches?: BatchForm;
  /** The most attention scores of a head in a padded batch, rows × length² (no limit). */
  readonly attentionLimit?: number;
  /** The most tokens in a task, while at least so many tasks remain that every worker has some (one batch). */
  readonly messageLimit?: { readonly tokens: number; readonly tasks: number };
  /** The most tokens of a call that becomes one task, whose batches so many workers pull (no such task). */
  readonly pullLimit?: { readonly tokens: number; readonly workers: number };
}

/** A task for a worker and the pairs its rows belong to. */
export interface PlannedTask {
  readonly task: BatchTask;
  readonly pairs: Int32Array;
  /** The number of workers that take its batches. */
  readonly workers: number;
}

/** Sequences that run together. */
interface Batch {
  /** Their places in the window. */
  readonly places: Int32Array;
  /** The length of the longest. */
  readonly length: number;
}

/**
 * Turns pairs into tasks, window by window. The pairs of a window are sorted by length, longest first, and batched with
 * pairs of the same length or, where batches are padded or packed, with those next to them.
 */
export async function* plan(
  pairs: readonly TextPair[],
  options: PlanOptions,
  signal?: AbortSignal,
): AsyncGenerator<PlannedTask> {
  for await (const window of windows(pairs, options, signal)) yield* tasks(window, options);
}

function* tasks(window: EncodedWindow, options: PlanOptions): Generator<PlannedTask> {
  const { batches: form = 'equal', pullLimit } = options;
  if (form === 'padded') {
    for (const batch of paddedBatches(window, options)) yield taskOf(window, [batch], options);
  } else if (form === 'packed') {
    for (const batch of packedBatches(window, options)) yield taskOf(window, [batch], options);
  } else if (pullLimit && pullLimit.workers > 1 && window.isWholeCall && window.tokens <= pullLimit.tokens) {
    const batches = pulledBatches(window, options, pullLimit.workers);
    if (batches.length > 0) yield taskOf(window, batches, options, pullLimit.workers);
  } else {
    for (const batches of messages(window, options)) yield taskOf(window, batches, options);
  }
}

/** Batches of any lengths, each padded to its first sequence, the longest. */
function* paddedBatches(
  { order, lengths }: EncodedWindow,
  { batchTokens, attentionLimit = Infinity }: PlanOptions,
): Generator<Batch> {
  for (let from = 0; from < order.length;) {
    const length = lengths[order[from]];
    const rows = Math.max(1, Math.floor(Math.min(batchTokens, attentionLimit / length) / length));
    const places = order.subarray(from, from + rows);
    yield { places, length };
    from += places.length;
  }
}

/** The most places of a packed batch, padding included, per token of its limit: the last layer pads its sequences. */
const PLACES_PER_TOKEN = 2;

/** Batches of any lengths, whose sequences follow each other without padding, the longest first. */
function* packedBatches({ order, lengths }: EncodedWindow, { batchTokens }: PlanOptions): Generator<Batch> {
  for (let from = 0; from < order.length;) {
    const length = lengths[order[from]];
    const mostRows = Math.max(1, Math.floor((PLACES_PER_TOKEN * batchTokens) / length));
    let tokens = length;
    let to = from + 1;
    while (to < order.length && to - from < mostRows && tokens + lengths[order[to]] <= batchTokens) {
      tokens += lengths[order[to++]];
    }
    yield { places: order.subarray(from, to), length };
    from = to;
  }
}

/** Batches of one length each, one message's at a time: small batches, and full ones of light models, go together. */
function* messages(window: EncodedWindow, { batchTokens, messageLimit }: PlanOptions): Generator<Batch[]> {
  const { order, tokens: total } = window;
  const limit = messageLimit
    ? Math.max(batchTokens, Math.min(messageLimit.tokens, Math.floor(total / messageLimit.tasks)))
    : batchTokens;
  for (let from = 0; from < order.length;) {
    const batches: Batch[] = [];
    let tokens = 0;
    while (from < order.length && tokens < limit) {
      const batch = equalBatch(window, from, Math.min(batchTokens, limit - tokens));
      const size = batch.places.length * batch.length;
      if (batches.length > 0 && tokens + size > limit) break;
      batches.push(batch);
      tokens += size;
      from += batch.places.length;
    }
    yield batches;
  }
}

/** Batches for each worker that pulls: with fewer, one of them waits for the other's last. */
const BATCHES_PER_WORKER = 4;

/** Batches of one length each, the largest first, so that workers which pull them end together. */
function pulledBatches(window: EncodedWindow, { batchTokens }: PlanOptions, workers: number): Batch[] {
  const { order, tokens } = window;
  const most = Math.min(batchTokens, Math.ceil(tokens / (workers * BATCHES_PER_WORKER)));
  const batches: Batch[] = [];
  for (let from = 0; from < order.length;) {
    const batch = equalBatch(window, from, most);
    batches.push(batch);
    from += batch.places.length;
  }
  return batches.sort((a, b) => b.places.length * b.length - a.places.length * a.length);
}

/** The sequences from a place on that are of one length and have at most so many tokens together; at least one. */
function equalBatch({ order, lengths }: EncodedWindow, from: number, mostTokens: number): Batch {
  const length = lengths[order[from]];
  const end = Math.min(order.length, from + Math.max(1, Math.floor(mostTokens / length)));
  let to = from + 1;
  while (to < end && lengths[order[to]] === length) to++;
  return { places: order.subarray(from, to), length };
}

function taskOf(
  { start, first, second, lengths }: EncodedWindow,
  batches: readonly Batch[],
  { template, batches: form = 'equal' }: PlanOptions,
  workers = 1,
): PlannedTask {
  const widthOf = (place: number, { length }: Batch) => (form === 'padded' ? length : lengths[place]);
  let rows = 0;
  let tokens = 0;
  for (const batch of batches) {
    rows += batch.places.length;
    for (const place of batch.places) tokens += widthOf(place, batch);
  }
  const ids = new Int32Array(tokens);
  const splits = new Int32Array(rows);
  const ends = new Int32Array(rows);
  const pairs = new Int32Array(rows);
  let row = 0;
  let at = 0;
  for (const batch of batches) {
    for (const place of batch.places) {
      splits[row] = writeSequence(ids, at, template, first[place], second[place]);
      ends[row] = lengths[place];
      pairs[row++] = start + place;
      at += widthOf(place, batch);
    }
  }
  const shapes = batches.map(({ places, length }) => ({ rows: places.length, length }));
  return { task: { ids, splits, shapes, ...(form === 'equal' ? {} : { ends }) }, pairs, workers };
}

/** Adds the sequences of a task to a total, padding left out. */
export function countTask({ shapes, ends }: BatchTask, total: SequenceTotal): void {
  if (ends) for (const length of ends) total.add(length);
  else for (const { rows, length } of shapes) total.add(length, rows);
}
