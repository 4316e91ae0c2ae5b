import type { BertWeights } from '../checkpoint/index.js';
import { timesVector, transposed } from '../matrices.js';

type Range = readonly [from: number, to: number];

/** A linear layer of the checkpoint, or the outputs or inputs that belong to one attention head. */
export interface Linear {
  /** Canonical name without `.weight` and `.bias`, e.g. `encoder.layer.0.output.dense`. */
  readonly layer: string;
  readonly outputs?: Range;
  readonly inputs?: Range;
  /** Multiplies weights and bias. */
  readonly scale?: number;
}

/** Matrices of a checkpoint held in memory: those of an attention, each of whose heads reads a part. */
const KEPT_MATRICES = 4;

/** A checkpoint's weights in the forms in which a graph stores them. */
export class WeightReader {
  /** The most recently used matrices: they are read part by part (heads, hidden units), in turn with others. */
  readonly #kept = new Map<string, Promise<Float32Array>>();

  constructor(private readonly weights: BertWeights) {}

  tensor(name: string): Promise<Float32Array> {
    if (!name.endsWith('.weight')) return this.weights.get(name);
    const values = this.#kept.get(name) ?? this.weights.get(name);
    // Removed and inserted again: the first entry is then always the least recently used.
    this.#kept.delete(name);
    this.#kept.set(name, values);
    if (this.#kept.size > KEPT_MATRICES) this.#kept.delete(this.#kept.keys().next().value!);
    return values;
  }

  shape(linear: Linear): { readonly inputs: number; readonly outputs: number } {
    const { top, bottom, left, right } = this.#bounds(linear);
    return { inputs: right - left, outputs: bottom - top };
  }

  /** The weights as `[inputs, outputs]`, for products with row vectors from the left. */
  async matrix(linear: Linear): Promise<Float32Array> {
    const { inputs, outputs } = this.shape(linear);
    return transposed(await this.rows(linear), outputs, inputs);
  }

  /** The weights of a layer as `[heads, inputs, outputs of a head]`. */
  async matrixByHead(layer: string, heads: number): Promise<Float32Array> {
    const { inputs, outputs } = this.shape({ layer });
    const size = outputs / heads;
    const parts = new Float32Array(inputs * outputs);
    for (let head = 0; head < heads; head++) {
      const part = await this.matrix({ layer, outputs: [head * size, (head + 1) * size] });
      parts.set(part, head * inputs * size);
    }
    return parts;
  }

  /** The bias; b − W·shift for inputs to which the tensor `shift` has been added. */
  async bias(linear: Linear, shift?: string): Promise<Float32Array> {
    const { scale = 1 } = linear;
    const { top, bottom } = this.#bounds(linear);
    const own = (await this.tensor(`${linear.layer}.bias`)).subarray(top, bottom);
    if (shift === undefined) return own.map((value) => value * scale);
    const moved = timesVector(await this.rows(linear), await this.tensor(shift));
    return own.map((value, i) => value * scale - moved[i]);
  }

  /** The weights as in the checkpoint, `[outputs, inputs]`, cut and scaled. */
  async rows(linear: Linear): Promise<Float32Array> {
    const whole = await this.tensor(`${linear.layer}.weight`);
    const { scale = 1, inputs, outputs } = linear;
    if (!inputs && !outputs && scale === 1) return whole;
    const { top, bottom, left, right, width } = this.#bounds(linear);
    const result = new Float32Array((bottom - top) * (right - left));
    for (let row = top, i = 0; row < bottom; row++) {
      for (let column = left; column < right; column++) result[i++] = whole[row * width + column] * scale;
    }
    return result;
  }

  #bounds({ layer, outputs, inputs }: Linear) {
    const [height, width] = this.weights.shapes.get(`${layer}.weight`)!;
    const [top, bottom] = outputs ?? [0, height];
    const [left, right] = inputs ?? [0, width];
    return { top, bottom, left, right, width };
  }
}
