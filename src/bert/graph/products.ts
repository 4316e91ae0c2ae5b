import type { Value } from '../onnx/graph.js';
import type { Store } from './store.js';
import type { Linear } from './weight-reader.js';

/** Rows of activations, prepared once for all products they are part of. */
export interface Operand {
  /** rows · W. */
  times(linear: Linear): Value;
  /** rows · W + b, the bias `[outputs]`. */
  timesPlusBias(linear: Linear, bias: Value): Value;
  /** rows · W + r, the residual `[rows, outputs]`. */
  timesPlusRows(linear: Linear, residual: Value): Value;
}

/** The products of token rows with weight matrices in some precision. The name is the operand's own in a model. */
export type Products = (rows: Value, name: string) => Operand;

/** Products in floats. Gemm adds the bias or residual, which saves a pass over memory. */
export function floatProducts(store: Store): (rows: Value) => Operand {
  const { graph } = store;
  return (rows) => {
    const gemm = (linear: Linear, addend: Value) => graph.op('Gemm', [rows, store.matrix(linear), addend]);
    return {
      times: (linear) => graph.op('MatMul', [rows, store.matrix(linear)]),
      timesPlusBias: gemm,
      timesPlusRows: gemm,
    };
  };
}
