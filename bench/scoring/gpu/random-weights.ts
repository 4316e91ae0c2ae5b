import { type BertWeights, bertTensorShapes } from '../../../src/bert/checkpoint/index.js';
import type { ModelConfig } from '../../../src/bert/config.js';
import { encoderSizes, type SizeLetter } from '../../../src/bert/sizes.js';

/** The paper's sizes, with Google's vocabulary. */
export function sizeConfig(size: SizeLetter, layers: number = encoderSizes[size].layers): ModelConfig {
  const { hidden, heads } = encoderSizes[size];
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
