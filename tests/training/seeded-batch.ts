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
      columns: batch.columns,
    });
    token += tokens;
  }
  return parts;
}
