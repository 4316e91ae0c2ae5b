import { memoised } from '../../common/lazy.js';
import { roundFraction } from '../checkpoint/dtype.js';
import { ElementType, type Graph, MICROSOFT, type Value } from '../onnx/graph.js';
import { type Store, nameOf } from './store.js';
import type { Linear } from './weight-reader.js';

export interface PackedProducts {
  /** x·W, plus the bias with `timesPlusBias`. */
  times(store: Store, x: Value, linear: Linear): Value;
  timesPlusBias(store: Store, x: Value, linear: Linear): Value;
  /** a·b of activations, or of activations and a weight tensor by heads; a·bᵀ with `transB`. */
  product(graph: Graph, a: Value, b: Value, transB?: 0 | 1): Value;
}

/** Products as the device computes them. */
export const plainProducts: PackedProducts = {
  times: (store, x, linear) => store.graph.op('MatMul', [x, store.matrix(linear)]),
  timesPlusBias: (store, x, linear) => store.graph.op('Gemm', [x, store.matrix(linear), store.bias(linear)]),
  product: (graph, a, b, transB = 0) =>
    transB ? graph.op('FusedMatMul', [a, b], { transB }, MICROSOFT) : graph.op('MatMul', [a, b]),
};

/**
 * Products of float32 whose factors the device rounds to 11 bits (TF32). It cuts off what it does not hold; weights that
 * are rounded when they are stored are nearer to what they were.
 */
export const roundedProducts: PackedProducts = {
  ...plainProducts,
  times: (store, x, linear) =>
    store.graph.op('MatMul', [x, storedMatrix(store, linear, 'rounded', firstBits)]),
  timesPlusBias: (store, x, linear) =>
    store.graph.op('Add', [roundedProducts.times(store, x, linear), store.bias(linear)]),
};

/** A number as the sum of its first 11 bits, which TF32 holds exactly, and of the rest. */
interface Halves {
  readonly high: Value;
  readonly low: Value;
}

/**
 * Products of float32 on a device that rounds factors to 11 bits: with a = a₁ + a₂ and b = b₁ + b₂, a·b is
 * a₁·b₁ + a₁·b₂ + a₂·b₁ but for 2⁻²². Each value is split once. Activations have to be within the range of float16.
 */
export function splitProducts(graph: Graph): PackedProducts {
  const split = memoised((x: Value) => splitValue(graph, x));
  const times: PackedProducts['times'] = (store, x, linear) => {
    const [a, b] = [split(x), splitMatrix(store, linear)];
    const small = graph.op('Gemm', [a.high, b.low, graph.op('MatMul', [a.low, b.high])]);
    return graph.op('Gemm', [a.high, b.high, small]);
  };
  return {
    times,
    timesPlusBias: (store, x, linear) => graph.op('Add', [times(store, x, linear), store.bias(linear)]),
    product(_, left, right, transB) {
      const [a, b] = [split(left), split(right)];
      const part = (x: Value, y: Value) => plainProducts.product(graph, x, y, transB);
      const small = graph.op('Add', [part(a.high, b.low), part(a.low, b.high)]);
      return graph.op('Add', [part(a.high, b.high), small]);
    },
  };
}

function splitValue(graph: Graph, x: Value): Halves {
  const half = graph.op('Cast', [x], { to: ElementType.float16 });
  const high = graph.op('Cast', [half], { to: ElementType.float32 });
  return { high, low: graph.op('Sub', [x, high]) };
}

function splitMatrix(store: Store, linear: Linear): Halves {
  return {
    high: storedMatrix(store, linear, 'first bits', firstBits),
    low: storedMatrix(store, linear, 'other bits', (values) => {
      const high = firstBits(values);
      return values.map((value, i) => value - high[i]);
    }),
  };
}

/** A linear layer's weights, changed. */
function storedMatrix(
  store: Store,
  linear: Linear,
  form: string,
  change: (values: Float32Array) => Float32Array,
): Value {
  const { inputs, outputs } = store.weights.shape(linear);
  const data = async () => change(await store.weights.matrix(linear));
  return store.floats(`${nameOf(linear)} weight, ${form}`, [inputs, outputs], data);
}

/** Numbers rounded to 11 significant bits, those of TF32. */
function firstBits(values: Float32Array): Float32Array {
  return roundFraction(values, 10);
}
