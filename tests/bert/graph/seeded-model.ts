import { readFileSync } from 'node:fs';
import { type BertWeights, bertTensorShapes, type Head } from '../../../src/bert/checkpoint/index.js';
import type { ModelConfig } from '../../../src/bert/config.js';

/** The logits of Hugging Face transformers for a seeded model; see scripts/fixtures/bert/logits.py. */
export interface SeededCase {
  readonly config: ModelConfig;
  readonly lengths: readonly number[];
  readonly logits: readonly (readonly number[])[];
}

const fixture = new URL('../../fixtures/bert/logits/seeded.json', import.meta.url);
const cases = JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, SeededCase>;

export function seededCase(name: string): SeededCase {
  const found = cases[name];
  const common = { modelType: 'bert', maxPositions: 512, typeVocabulary: 2, layerNormEps: 1e-12 } as const;
  return { ...found, config: { ...common, ...found.config } };
}

/** Weights that follow from names and places alone, so that models of any size need not be stored. */
export function seededWeights(config: ModelConfig, head?: Head): BertWeights {
  const shapes = bertTensorShapes(config, head);
  return {
    config,
    shapes,
    get: async (name) => seededTensor(name, shapes.get(name)!),
  };
}

export function seededTensor(name: string, shape: readonly number[]): Float32Array {
  const count = shape.reduce((product, size) => product * size, 1);
  const spread = Math.sqrt(12 / shape.at(-1)!);
  if (name.endsWith('LayerNorm.weight')) return noise(name, count, (u) => 1 + 0.4 * u);
  if (name.endsWith('bias')) return noise(name, count, (u) => 0.4 * u);
  if (name.includes('embeddings')) return noise(name, count, (u) => 2 * u);
  return noise(name, count, (u) => u * spread);
}

/** The token ids and segments of the fixture's sequence of a length. */
export function seededSequence(length: number, vocabulary: number): { ids: Int32Array; types: Int32Array } {
  const ids = Int32Array.from(noise(`ids of ${length}`, length, (u) => Math.floor((u + 0.5) * vocabulary)));
  const first = Math.max(1, Math.floor(length / 4));
  return { ids, types: Int32Array.from(ids, (_, i) => (i >= first ? 1 : 0)) };
}

/** Uniform in [-.5, .5): an integer hash of the place, started from FNV-1a of the name. */
export function noise(name: string, count: number, map: (u: number) => number): Float32Array {
  let seed = 2166136261;
  for (const byte of new TextEncoder().encode(name)) seed = Math.imul(seed ^ byte, 16777619);
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let x = (i + seed) | 0;
    x ^= x >>> 16;
    x = Math.imul(x, 0x7feb352d);
    x ^= x >>> 15;
    x = Math.imul(x, 0x846ca68b);
    x ^= x >>> 16;
    values[i] = map((x >>> 0) / 2 ** 32 - 0.5);
  }
  return values;
}
