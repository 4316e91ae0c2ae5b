import type { Graph, Value } from '../onnx/index.js';
import type { Linear, WeightReader } from './weight-reader.js';

/** Rows of activations, readied once for all the products they enter. */
export interface Operand {
  /** rows · W, plus `addend` where given: a bias `[outputs]` or a residual `[rows, outputs]`. */
  times(linear: Linear, addend?: Value): Value;
}

/** How a precision multiplies token rows by weight matrices. */
export type Products = (rows: Value) => Operand;

/** Products in floats. Gemm takes bias or residual as the matrix it adds to, which saves a pass over memory. */
export function floatProducts(graph: Graph, weights: WeightReader): Products {
  return (rows) => ({
    times(linear, addend) {
      const { inputs, outputs } = weights.shape(linear);
      const matrix = graph.initializer(weightName(linear), 'float32', [inputs, outputs], () =>
        weights.matrix(linear),
      );
      return addend ? graph.op('Gemm', [rows, matrix, addend]) : graph.op('MatMul', [rows, matrix]);
    },
  });
}

/** A name for the part of a layer that is stored; heads are told apart by their outputs or inputs. */
export function weightName({ layer, outputs, inputs }: Linear): string {
  const range = `${outputs?.join(':') ?? ''},${inputs?.join(':') ?? ''}`;
  return range === ',' ? `${layer}.weight` : `${layer}.weight[${range}]`;
}
