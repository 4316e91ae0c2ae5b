import type { ModelConfig } from '../config.js';
import { ElementType, type Value } from '../onnx/index.js';
import type { Products } from './products.js';
import { nameOf, type Store } from './store.js';
import type { Linear } from './weight-reader.js';

/**
 * How long sums of 16-bit products may be where they are added up in 16 bits, as onnxruntime's WebGPU does: whole sums
 * put logits off by up to 6e-3 (T, S) and 2e-2 (L), these by less than 5e-3. Errors grow with depth, so deeper models
 * get shorter sums. Measured: docs/benchmarks-scoring.md.
 */
export function halfTerms({ layers }: ModelConfig): number {
  if (layers <= 4) return 256;
  return layers <= 12 ? 128 : 64;
}

/**
 * Products of 16-bit floats, whose residual sums are float32. A sum of more than `terms` products is cut into
 * shorter ones, each of which takes the sum of those before it as its addend: where a device adds up in 16 bits,
 * the rounding errors of a long sum are most of the error of the logits.
 */
export function halfProducts(store: Store, terms: number): Products {
  const { graph, weights } = store;
  return (rows) => {
    const parts = new Map<string, Value>();
    const columns = (from: number, to: number): Value => {
      const key = `${from}:${to}`;
      const known = parts.get(key);
      if (known !== undefined) return known;
      const bounds = [[from], [to], [1]].map((each) => graph.integers(each));
      const part = graph.op('Slice', [rows, ...bounds]);
      parts.set(key, part);
      return part;
    };
    const product = (linear: Linear, bias?: Value): Value => {
      const { inputs } = weights.shape(linear);
      let sum = bias;
      for (let from = 0; from < inputs; from += terms) {
        const to = Math.min(inputs, from + terms);
        const operand = to - from === inputs ? rows : columns(from, to);
        const inputsOfGemm = [operand, matrixPart(store, linear, from, to)];
        sum = graph.op('Gemm', sum === undefined ? inputsOfGemm : [...inputsOfGemm, sum], { transB: 1 });
      }
      return sum!;
    };
    return {
      times: (linear) => product(linear),
      timesPlusBias: product,
      timesPlusRows: (linear, residual) =>
        graph.op('Add', [graph.op('Cast', [product(linear)], { to: ElementType.float32 }), residual]),
    };
  };
}

/** Some inputs of a layer, as `[outputs, inputs]`: kernels for this order add four products at a time. */
function matrixPart(store: Store, linear: Linear, from: number, to: number): Value {
  const { weights } = store;
  const first = linear.inputs?.[0] ?? 0;
  const part: Linear = { ...linear, inputs: [first + from, first + to] };
  const { inputs, outputs } = weights.shape(part);
  return store.floats(`${nameOf(part)} weight`, [outputs, inputs], () => weights.rows(part));
}
