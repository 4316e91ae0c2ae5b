import { ElementType } from '../onnx/graph.js';
import type { Products } from './products.js';
import type { Store } from './store.js';
import type { Linear } from './weight-reader.js';

/** Products of 16-bit floats, whose residual sums are float32: for devices that add up in 32 bits. */
export function halfProducts(store: Store): Products {
  const { graph } = store;
  return (rows) => {
    const times = (linear: Linear) => graph.op('MatMul', [rows, store.matrix(linear)]);
    return {
      times,
      timesPlusBias: (linear, bias) => graph.op('Gemm', [rows, store.matrix(linear), bias]),
      timesPlusRows: (linear, residual) =>
        graph.op('Add', [graph.op('Cast', [times(linear)], { to: ElementType.float32 }), residual]),
    };
  };
}
