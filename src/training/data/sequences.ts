import {
  budgetFor,
  type PairTemplate,
  probabilities,
  sequenceLength,
  type Tokenizer,
  writeSequence,
} from '../../bert/index.js';
import { concat } from '../../common/concat.js';
import type { MicroBatch, TrainingBatch } from '../engine/micro-batch.js';
import type { TrainingWorker } from '../engine/training-worker.js';

/** A tokenised pair. */
export interface Sequence {
  readonly ids: Int32Array;
  /** Place of the second text's first token. */
  readonly split: number;
  /** The id of every token that was masked, and -1 for the others; of masked sequences alone. */
  readonly wanted?: Int32Array;
}

/** A text and the passages that are paired with it. */
export interface Pairing {
  readonly first: string;
  readonly passages: readonly string[];
}

/** The tokenised pairs, in the order of the pairings. */
export function sequencesOf(
  pairings: readonly Pairing[],
  tokenizer: Tokenizer,
  maxLength: number,
): Sequence[] {
  const { template } = tokenizer;
  const budget = budgetFor(maxLength, template);
  return pairings.flatMap(({ first: text, passages }) => {
    const first = tokenizer.encode(text).subarray(0, budget.first);
    return passages.map((passage) =>
      sequenceOf(template, first, tokenizer.encode(passage).subarray(0, budget.second)),
    );
  });
}

/** The sequence of two texts. */
export function sequenceOf(template: PairTemplate, first: Int32Array, second: Int32Array): Sequence {
  const ids = new Int32Array(sequenceLength(template, first, second));
  const split = writeSequence(ids, 0, template, first, second);
  // A model with one segment for both texts has no second one.
  return { ids, split: template.secondSegment === 1 ? split : ids.length };
}

/** A micro-batch, and the places of its sequences among all. */
export interface PlacedBatch {
  readonly batch: MicroBatch;
  readonly places: readonly number[];
}

/**
 * Micro-batches of at most `tokens` tokens, padding included, of sequences of similar length. Gradients are sums over a
 * batch, so it does not matter how the batch is divided. Every `groupSize` successive sequences stay together.
 */
export function microBatches(sequences: readonly Sequence[], tokens: number, groupSize = 1): PlacedBatch[] {
  const groups = Array.from({ length: sequences.length / groupSize }, (_, group) => {
    const places = Array.from({ length: groupSize }, (_, i) => group * groupSize + i);
    return { places, longest: Math.max(...places.map((place) => sequences[place].ids.length)) };
  });
  groups.sort((a, b) => b.longest - a.longest || a.places[0] - b.places[0]);
  const parts = portions(
    groups,
    () => 1,
    ({ longest }) => tokens / (longest * groupSize),
  );
  return parts.map((some) => {
    const places = some.flatMap((group) => group.places);
    return { places, batch: concatenate(places.map((place) => sequences[place])) };
  });
}

/** Consecutive parts of some items, each of one at least, and of as many as have the room that the first one leaves. */
export function portions<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  roomFor: (first: Item) => number,
): Item[][] {
  const parts: Item[][] = [];
  let size = 0;
  for (const item of items) {
    const part = parts.at(-1);
    size += sizeOf(item);
    if (part && size <= roomFor(part[0])) part.push(item);
    else {
      parts.push([item]);
      size = sizeOf(item);
    }
  }
  return parts;
}

/** Micro-batches with targets: a row for every group of sequences, in the order of the groups. */
export function targetBatches(
  sequences: readonly Sequence[],
  rows: readonly (readonly number[])[],
  tokens: number,
  groupSize = 1,
): TrainingBatch[] {
  return microBatches(sequences, tokens, groupSize).map(({ batch, places }) => {
    const own = places.filter((place) => place % groupSize === 0).map((place) => rows[place / groupSize]);
    return { ...batch, targets: Float32Array.from(own.flat()), columns: rows[0].length };
  });
}

/** Puts the scores that the worker's current weights give sequences in their places; for a step, with its dropout. */
export async function scoreInto(
  scores: Float32Array,
  cut: readonly PlacedBatch[],
  worker: TrainingWorker,
  labels: number,
  step?: number,
): Promise<void> {
  const batches = cut.map(({ batch }) => batch);
  const values = await worker.call('score', batches, step);
  const order = cut.flatMap(({ places }) => places);
  probabilities({ labels, values }).forEach((score, i) => (scores[order[i]] = score));
}

function concatenate(sequences: readonly Sequence[]): MicroBatch {
  const wanted = sequences.flatMap((sequence) => sequence.wanted ?? []);
  return {
    ...(wanted.length > 0 && { wanted: concat(Int32Array, wanted) }),
    ids: concat(
      Int32Array,
      sequences.map(({ ids }) => ids),
    ),
    lengths: Int32Array.from(sequences, ({ ids }) => ids.length),
    splits: Int32Array.from(sequences, ({ split }) => split),
  };
}
