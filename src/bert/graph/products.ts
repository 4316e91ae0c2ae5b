import type { Value } from '../onnx/index.js';
import type { Store } from './store.js';
import type { Linear } from './weight-reader.js';

/** Rows of activations, readied once for all the products they enter. */
export interface Operand {
  /** rows · W. */
  times(linear: Linear): Value;
  /** rows · W + b, the bias `[outputs]`. */
  timesPlusBias(linear: Linear, bias: Value): Value;
  /** rows · W + r, the residual `[rows, outputs]`. */
  timesPlusRows(linear: Linear, residual: Value): Value;
}

/** What products may want to know of their rows. */
export interface OperandTraits {
  /** Tells the rows apart across a model. */
  readonly name: string;
  /** Some channels reach much further than others, as those that LayerNorm gives do. */
  readonly uneven: boolean;
}

/** How a precision multiplies token rows by weight matrices. */
export type Products = (rows: Value, traits: OperandTraits) => Operand;

/** Products in floats. Gemm takes bias or residual as the matrix it adds to, which saves a pass over memory. */
export function floatProducts(store: Store): Products {
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
