import { narrowToHalf } from '../checkpoint/index.js';
import type { ElementTypeName, Graph, Value } from '../onnx/index.js';
import type { Linear, WeightReader } from './weight-reader.js';

/** Puts weights into a graph, in the graph's float type. */
export class Store {
  readonly graph: Graph;
  readonly weights: WeightReader;
  readonly float: 'float32' | 'float16';

  constructor(graph: Graph, weights: WeightReader, float: 'float32' | 'float16') {
    this.graph = graph;
    this.weights = weights;
    this.float = float;
  }

  /** Floats under a name of their own. */
  floats(name: string, dims: readonly number[], data: () => Promise<Float32Array>): Value {
    return this.graph.initializer(name, this.float, dims, async () =>
      this.float === 'float16' ? narrowToHalf(await data()) : data(),
    );
  }

  /** A tensor of any type. */
  tensor(
    name: string,
    type: ElementTypeName,
    dims: readonly number[],
    data: () => ArrayBufferView | Promise<ArrayBufferView>,
  ): Value {
    return this.graph.initializer(name, type, dims, data);
  }

  /** A linear layer's weights, `[inputs, outputs]`. */
  matrix(linear: Linear): Value {
    const { inputs, outputs } = this.weights.shape(linear);
    return this.floats(`${nameOf(linear)} weight`, [inputs, outputs], () => this.weights.matrix(linear));
  }

  /** A linear layer's bias, for rows that already carry the tensor `shift` (see layerNorm). */
  bias(linear: Linear, shift?: string): Value {
    const { outputs } = this.weights.shape(linear);
    return this.floats(`${nameOf(linear)} bias`, [outputs], () => this.weights.bias(linear, shift));
  }
}

/** A name for the part of a layer that is stored; heads are told apart by their outputs or inputs. */
export function nameOf({ layer, outputs, inputs }: Linear): string {
  const range = `${outputs?.join(':') ?? ''},${inputs?.join(':') ?? ''}`;
  return range === ',' ? layer : `${layer}[${range}]`;
}
