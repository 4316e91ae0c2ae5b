import type { TrainingBatch } from '../../src/training/engine/micro-batch.js';
import { noise } from '../bert/graph/seeded-model.js';

/** The fixture's sequences; scripts/fixtures/training/steps.py makes the same. */
export function seededBatch(
  lengths: readonly number[],
  vocabulary: number,
  targets: readonly number[],
  columns: number,
): TrainingBatch {
  const ids = lengths.flatMap((length, row) => [
    ...noise(`ids ${row}`, length, (u) => 1 + Math.floor((u + 0.5) * (vocabulary - 1))),
  ]);
  return {
    ids: Int32Array.from(ids),
    lengths: Int32Array.from(lengths),
    splits: Int32Array.from(lengths, (length) => Math.floor(length / 4)),
    targets: Float32Array.from(targets),
    columns,
  };
}

/** The fixture's sequences with its masked tokens, each of the same weight; scripts/fixtures/training/steps.py has the same. */
export function maskedBatch(lengths: readonly number[], vocabulary: number): TrainingBatch {
  const wanted = lengths.flatMap((length, row) => {
    const ids = noise(`wanted ${row}`, length, (u) => 1 + Math.floor((u + 0.5) * (vocabulary - 1)));
    const isMasked = noise(`masked ${row}`, length, (u) => (u < -0.3 ? 1 : 0));
    return Array.from(ids, (id, i) => (i > 0 && isMasked[i] === 1 ? id : -1));
  });
  const weight = 1 / wanted.filter((id) => id >= 0).length;
  const weights = lengths.map(() => weight);
  return { ...seededBatch(lengths, vocabulary, weights, 1), wanted: Int32Array.from(wanted) };
}

/** One micro-batch as several, each of so many sequences. */
export function cut(batch: TrainingBatch, sequences: number): TrainingBatch[] {
  const parts: TrainingBatch[] = [];
  const perRow = (batch.targets.length / batch.lengths.length) * sequences;
  let token = 0;
  for (let from = 0; from < batch.lengths.length; from += sequences) {
    const lengths = batch.lengths.slice(from, from + sequences);
    const tokens = lengths.reduce((sum, length) => sum + length, 0);
    const at = (from / sequences) * perRow;
    parts.push({
      ids: batch.ids.slice(token, token + tokens),
      lengths,
      splits: batch.splits.slice(from, from + sequences),
      targets: batch.targets.slice(at, at + perRow),
      wanted: batch.wanted?.slice(token, token + tokens),
      columns: batch.columns,
    });
    token += tokens;
  }
  return parts;
}
