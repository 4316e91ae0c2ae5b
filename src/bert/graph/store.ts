import { narrowToHalf } from '../checkpoint/dtype.js';
import { ElementType, type Graph, type Value } from '../onnx/graph.js';
import type { Linear, WeightReader } from './weight-reader.js';

export type Float = 'float32' | 'float16';

/** The weights of a graph, as values of type `float`; matrices and tables, which are large, are stored as `kept`. */
export class Store {
  constructor(
    readonly graph: Graph,
    readonly weights: WeightReader,
    readonly float: Float,
    readonly kept = float,
  ) {}

  floats(name: string, dims: readonly number[], data: () => Promise<Float32Array>, type = this.float): Value {
    return this.graph.initializer(name, type, dims, async () =>
      type === 'float16' ? narrowToHalf(await data()) : data(),
    );
  }

  /** The rows `indices` of a table. */
  rowsOf(name: string, dims: readonly number[], data: () => Promise<Float32Array>, indices: Value): Value {
    const found = this.graph.op('Gather', [this.floats(name, dims, data, this.kept), indices]);
    return this.kept === this.float ? found : this.graph.op('Cast', [found], { to: ElementType[this.float] });
  }

  /** A linear layer's weights, `[inputs, outputs]`. */
  matrix(linear: Linear): Value {
    const { inputs, outputs } = this.weights.shape(linear);
    const name = `${nameOf(linear)} weight`;
    const kept = this.floats(name, [inputs, outputs], () => this.weights.matrix(linear), this.kept);
    return this.kept === this.float
      ? kept
      : this.graph.derived('Cast', kept, { to: ElementType[this.float] });
  }

  /** A linear layer's bias, for rows to which the tensor `shift` has been added (see layerNorm). */
  bias(linear: Linear, shift?: string): Value {
    const { outputs } = this.weights.shape(linear);
    return this.floats(`${nameOf(linear)} bias`, [outputs], () => this.weights.bias(linear, shift));
  }
}

/** The name of a layer or of a part of it; heads differ in their outputs or inputs. */
export function nameOf({ layer, outputs, inputs }: Linear): string {
  const range = `${outputs?.join(':') ?? ''},${inputs?.join(':') ?? ''}`;
  return range === ',' ? layer : `${layer}[${range}]`;
}
