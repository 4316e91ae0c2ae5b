import { IDS, PADDING, POSITIONS, SEGMENTS, TARGETS, TYPES, WANTED, WORDS } from '../graph/index.js';

/** Sequences that go through the model together, padded to the longest of them. */
export interface MicroBatch {
  /** Token ids of all sequences, one after the other, without padding. */
  readonly ids: Int32Array<ArrayBuffer>;
  readonly lengths: Int32Array<ArrayBuffer>;
  /** The place of the second text's first token in each sequence. */
  readonly splits: Int32Array<ArrayBuffer>;
  /** The id of every token that was masked, and -1 for the others, one after the other as `ids`; of the masked loss alone. */
  readonly wanted?: Int32Array<ArrayBuffer> | undefined;
}

export interface TrainingBatch extends MicroBatch {
  /** `[rows, columns]`, see graph/loss.ts. */
  readonly targets: Float32Array<ArrayBuffer>;
  readonly columns: number;
}

/** The bias that padding adds to attention scores; its attention is then exactly 0. */
const MASK_BIAS = -1e9;

export interface PaddedBatch {
  readonly batch: number;
  readonly sequence: number;
  readonly ids: Int32Array<ArrayBuffer>;
  readonly segments: Int32Array<ArrayBuffer>;
  readonly padding: Float32Array<ArrayBuffer>;
  readonly wanted?: Int32Array<ArrayBuffer> | undefined;
}

export function padded(
  { ids, lengths, splits, wanted }: MicroBatch,
  paddedLength = longest(lengths),
): PaddedBatch {
  const batch = lengths.length;
  const sequence = paddedLength;
  const all = new Int32Array(batch * sequence);
  const segments = new Int32Array(batch * sequence);
  const padding = new Float32Array(batch * sequence);
  const allWanted = wanted && new Int32Array(batch * sequence).fill(-1);
  let from = 0;
  lengths.forEach((length, row) => {
    const start = row * sequence;
    all.set(ids.subarray(from, from + length), start);
    segments.fill(1, start + splits[row], start + length);
    padding.fill(MASK_BIAS, start + length, start + sequence);
    if (wanted) allWanted!.set(wanted.subarray(from, from + length), start);
    from += length;
  });
  return { batch, sequence, ids: all, segments, padding, wanted: allWanted };
}

export function longest(lengths: Int32Array): number {
  return lengths.reduce((most, length) => Math.max(most, length), 0);
}

/** An array that a graph is fed with. */
export interface FeedArray {
  readonly dims: readonly number[];
  readonly data: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
}

/** A part of a step's batch that goes through a graph at once. */
export interface FeedBatch {
  /** The inputs of the graph, by name. */
  readonly feeds: Readonly<Record<string, FeedArray>>;
  /** The row of each embedding table, by its name, that a row of the table's gradient belongs to; -1 for none. */
  readonly rows?: Readonly<Record<string, Int32Array>>;
  /** The number and length of the batch's sequences, which dropout masks have too. */
  readonly extent?: { readonly batch: number; readonly sequence: number };
}

/** The inputs of BERT for one micro-batch, and the rows of its embedding tables for every token that is not padding. */
export function encoderFeeds({ batch, sequence, ids, segments, padding }: PaddedBatch): Required<FeedBatch> {
  const rows = (of: (token: number) => number): Int32Array =>
    Int32Array.from(ids, (_, token) => (padding[token] === 0 ? of(token) : -1));
  return {
    feeds: {
      [IDS]: { dims: [batch, sequence], data: ids },
      [SEGMENTS]: { dims: [batch, sequence], data: segments },
      [PADDING]: { dims: [batch, 1, 1, sequence], data: padding },
    },
    rows: {
      [WORDS]: rows((token) => ids[token]),
      [POSITIONS]: rows((token) => token % sequence),
      [TYPES]: rows((token) => segments[token]),
    },
    extent: { batch, sequence },
  };
}

/** The inputs of BERT's graphs for one micro-batch. */
export function bertFeeds(batch: MicroBatch | TrainingBatch): FeedBatch {
  const whole = padded(batch);
  const encoder = encoderFeeds(whole);
  if (!('targets' in batch)) return encoder;
  const { targets, columns } = batch;
  const wanted = whole.wanted && { [WANTED]: { dims: [whole.wanted.length], data: whole.wanted } };
  const dims = [targets.length / columns, columns];
  return { ...encoder, feeds: { ...encoder.feeds, [TARGETS]: { dims, data: targets }, ...wanted } };
}

/** A micro-batch as two, or itself where it has one row of targets. */
export function halves(batch: TrainingBatch): readonly TrainingBatch[] {
  const { ids, lengths, splits, wanted, targets, columns } = batch;
  const rows = targets.length / columns;
  if (rows < 2) return [batch];
  const half = rows >> 1;
  const sequence = (lengths.length / rows) * half;
  const token = lengths.subarray(0, sequence).reduce((sum, length) => sum + length, 0);
  return [true, false].map((isFirst) => {
    const part = <A extends Int32Array<ArrayBuffer> | Float32Array<ArrayBuffer>>(array: A, at: number): A =>
      (isFirst ? array.slice(0, at) : array.slice(at)) as A;
    return {
      ids: part(ids, token),
      lengths: part(lengths, sequence),
      splits: part(splits, sequence),
      wanted: wanted && part(wanted, token),
      targets: part(targets, half * columns),
      columns,
    };
  });
}
