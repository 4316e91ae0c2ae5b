import { Tensor } from 'onnxruntime-node';
import { memoised } from '../../common/lazy.js';
import { type DropoutMask, maskShape, sizeOf } from '../graph/index.js';
import { Random } from '../random.js';

/** The source of a training graph's dropout masks; `run` identifies a run of the graph. */
export interface MaskSource {
  fill(batch: number, sequence: number, run: string): Record<string, Tensor>;
}

/** Random masks that depend on the seed and the run alone. Their memory is reused. */
export class DropoutMasks implements MaskSource {
  readonly #buffers = new Map<string, Float32Array<ArrayBuffer>>();

  constructor(
    private readonly masks: readonly DropoutMask[],
    private readonly rate: number,
    private readonly seed: number,
  ) {}

  fill(batch: number, sequence: number, run: string): Record<string, Tensor> {
    return Object.fromEntries(
      this.masks.map((mask) => {
        const { name } = mask;
        const dims = maskShape(mask, batch, sequence);
        const values = this.#buffer(name, sizeOf(dims));
        drop(values, this.rate, new Random('dropout', this.seed, run, name));
        return [name, new Tensor('float32', values, dims)];
      }),
    );
  }

  #buffer(name: string, size: number): Float32Array<ArrayBuffer> {
    let buffer = this.#buffers.get(name);
    if (buffer === undefined || buffer.length < size) {
      buffer = new Float32Array(size);
      this.#buffers.set(name, buffer);
    }
    return buffer.subarray(0, size);
  }
}

/**
 * Fills a mask: each element is 0 with probability `rate`, else 1/(1-rate), so that its expectation is 1. Distances
 * between zeros have a geometric distribution, which takes one random number per zero in place of one per element.
 */
export function drop(mask: Float32Array, rate: number, random: Random): void {
  mask.fill(1 / (1 - rate));
  const distances = distancesOf(rate);
  for (let at = -1; ;) {
    const word = random.word();
    at += distances[word >>> 16];
    if (at >= mask.length) return;
    mask[at] = 0;
    at += distances[word & 0xffff];
    if (at >= mask.length) return;
    mask[at] = 0;
  }
}

/** The distance of the next zero for each value of 16 random bits; the rate is exact to one part in 10,000. */
const distancesOf = memoised((rate: number) =>
  Uint32Array.from(
    { length: 65_536 },
    (_, bits) => 1 + Math.floor(Math.log((bits + 0.5) / 65_536) / Math.log1p(-rate)),
  ),
);
