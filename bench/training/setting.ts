import { bertTensorShapes } from '../../src/bert/checkpoint/index.js';
import type { ModelConfig } from '../../src/bert/config.js';
import type { TrainingBatch } from '../../src/training/engine/micro-batch.js';
import { Random } from '../../src/training/random.js';

/** The setting that both sides train: sizes of the paper with BERT's vocabulary, 32 pairs a step. */
export const BATCH = 32;
export const VOCABULARY = 30_522;
export const LENGTHS = [128, 384] as const;
export const SIZES = {
  T: { layers: 2, hidden: 128, heads: 2 },
  S: { layers: 4, hidden: 256, heads: 4 },
  M: { layers: 8, hidden: 512, heads: 8 },
  B: { layers: 12, hidden: 768, heads: 12 },
  L: { layers: 24, hidden: 1024, heads: 16 },
} as const;
export type Size = keyof typeof SIZES;

export function configOf(size: Size): ModelConfig {
  return {
    modelType: 'bert',
    ...SIZES[size],
    intermediate: 4 * SIZES[size].hidden,
    vocabulary: VOCABULARY,
    maxPositions: 512,
    typeVocabulary: 2,
    labels: 2,
    layerNormEps: 1e-12,
    activation: 'gelu',
  };
}

/** A batch of full length, in micro-batches of `rows`; words are drawn as in text, by Zipf's law. */
export function randomBatch(length: number, rows: number, step: number): TrainingBatch[] {
  const random = new Random('bench', step);
  return Array.from({ length: Math.ceil(BATCH / rows) }, (_, i) => {
    const count = Math.min(rows, BATCH - i * rows);
    return {
      ids: Int32Array.from(
        { length: count * length },
        () => Math.floor(VOCABULARY ** random.unit()) % VOCABULARY,
      ),
      lengths: new Int32Array(count).fill(length),
      splits: new Int32Array(count).fill(12),
      targets: Float32Array.from({ length: 2 * count }, (_, at) => (at % 2 === i % 2 ? 1 / BATCH : 0)),
      columns: 2,
    };
  });
}

/** Weights about as large as trained ones, the same in every process. */
export function noisyWeights(config: ModelConfig): (name: string) => Promise<Float32Array> {
  const shapes = bertTensorShapes(config);
  const random = new Random('weights');
  const noise = Float32Array.from({ length: 1 << 20 }, () => (random.unit() - 0.5) * 0.07);
  return async (name) => {
    const count = shapes.get(name)!.reduce((product, dim) => product * dim, 1);
    if (/LayerNorm.weight/.test(name)) return new Float32Array(count).fill(1);
    if (/bias/.test(name)) return new Float32Array(count);
    const values = new Float32Array(count);
    for (let at = 0; at < count; at += noise.length) {
      values.set(noise.subarray(0, Math.min(noise.length, count - at)), at);
    }
    return values;
  };
}
