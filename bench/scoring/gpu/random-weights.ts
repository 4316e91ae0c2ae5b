import { type BertWeights, bertTensorShapes } from '../../../src/bert/checkpoint/index.js';
import type { ModelConfig, SizeLetter } from '../../../src/bert/config.js';

const SIZES: Readonly<Record<SizeLetter, readonly [layers: number, hidden: number, heads: number]>> = {
  T: [2, 128, 2],
  S: [4, 256, 4],
  M: [8, 512, 8],
  B: [12, 768, 12],
  L: [24, 1024, 16],
};

/** The paper's sizes, with Google's vocabulary. */
export function sizeConfig(size: SizeLetter, layers = SIZES[size][0]): ModelConfig {
  const [, hidden, heads] = SIZES[size];
  return {
    modelType: 'bert',
    layers,
    hidden,
    heads,
    intermediate: 4 * hidden,
    labels: 2,
    activation: 'gelu',
    vocabulary: 30_522,
    maxPositions: 512,
    typeVocabulary: 2,
    layerNormEps: 1e-12,
  };
}

/** Noise to cut tensors from: making each number anew would take longer than the measurements. */
const noise = Float32Array.from({ length: 1 << 25 }, () => Math.random() - 0.5);

/** Weights of a usual spread, for measurements in which values do not matter. */
export function randomWeights(config: ModelConfig): BertWeights {
  const shapes = bertTensorShapes(config);
  return {
    config,
    shapes,
    ignored: [],
    get: async (name) => {
      const count = shapes.get(name)!.reduce((product, size) => product * size, 1);
      const start = Math.floor(Math.random() * (noise.length - count));
      const values = noise.slice(start, start + count);
      const [spread, centre] = name.endsWith('LayerNorm.weight') ? [0.2, 1] : [0.1, 0];
      for (let i = 0; i < count; i++) values[i] = centre + spread * values[i];
      return values;
    },
  };
}
