import { budgetFor, sequenceLength, type Tokenizer, writeSequence } from '../../bert/index.js';
import type { MicroBatch } from '../engine/index.js';

/** A tokenised pair. */
export interface Sequence {
  readonly ids: Int32Array;
  /** Place of the second text's first token. */
  readonly split: number;
}

/** A text and the passages that it makes pairs with. */
export interface Pairing {
  readonly first: string;
  readonly passages: readonly string[];
}

/** Every pair as the model reads it. */
export function sequencesOf(
  pairings: readonly Pairing[],
  tokenizer: Tokenizer,
  maxLength: number,
): Sequence[] {
  const { template } = tokenizer;
  const budget = budgetFor(maxLength, template);
  return pairings.flatMap(({ first: text, passages }) => {
    const first = tokenizer.encode(text).subarray(0, budget.first);
    return passages.map((passage) => {
      const second = tokenizer.encode(passage).subarray(0, budget.second);
      const ids = new Int32Array(sequenceLength(template, first, second));
      const split = writeSequence(ids, 0, template, first, second);
      // Where a model takes both texts for one segment, none begins.
      return { ids, split: template.secondSegment === 1 ? split : ids.length };
    });
  });
}

/** Sequences that go together, and the places they had among those handed in. */
export interface Portion {
  readonly batch: MicroBatch;
  readonly places: readonly number[];
}

/**
 * Cuts sequences into micro-batches of at most `tokens` tokens, padding included, like lengths together: what is
 * added up over a batch does not depend on how it is cut. Runs of `together` sequences are not torn apart.
 */
export function portions(sequences: readonly Sequence[], tokens: number, together = 1): Portion[] {
  const groups = Array.from({ length: sequences.length / together }, (_, group) => {
    const places = Array.from({ length: together }, (_, i) => group * together + i);
    return { places, longest: Math.max(...places.map((place) => sequences[place].ids.length)) };
  });
  groups.sort((a, b) => b.longest - a.longest || a.places[0] - b.places[0]);
  const cut: Portion[] = [];
  for (let from = 0; from < groups.length;) {
    const { longest } = groups[from];
    const most = Math.max(1, Math.floor(tokens / (longest * together)));
    const places = groups.slice(from, from + most).flatMap((group) => group.places);
    cut.push({ places, batch: microBatch(places.map((place) => sequences[place])) });
    from += most;
  }
  return cut;
}

function microBatch(sequences: readonly Sequence[]): MicroBatch {
  const lengths = Int32Array.from(sequences, ({ ids }) => ids.length);
  const ids = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const sequence of sequences) {
    ids.set(sequence.ids, at);
    at += sequence.ids.length;
  }
  return { ids, lengths, splits: Int32Array.from(sequences, ({ split }) => split) };
}
