import { microBatches } from '../../src/training/data/sequences.js';
import type { TrainingBatch } from '../../src/training/engine/micro-batch.js';
import { Random } from '../../src/training/random.js';
import { VOCABULARY } from './setting.js';

/** A step's sequences of these lengths in micro-batches of at most `tokens` tokens; words are drawn as in text. */
export function sequenceBatches(lengths: readonly number[], tokens: number, step: number): TrainingBatch[] {
  const random = new Random('bench', step);
  const sequences = lengths.map((length) => ({
    ids: Int32Array.from({ length }, () => Math.floor(VOCABULARY ** random.unit()) % VOCABULARY),
    split: 12,
  }));
  return microBatches(sequences, tokens).map(({ batch, places }) => ({
    ...batch,
    targets: Float32Array.from(
      places.flatMap((place) => (place % 2 === 0 ? [1 / lengths.length, 0] : [0, 1 / lengths.length])),
    ),
    columns: 2,
  }));
}
