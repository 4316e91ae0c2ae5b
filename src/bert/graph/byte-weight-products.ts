import { ElementType, MICROSOFT, type Value } from '../onnx/graph.js';
import { narrowToHalf, widenHalf } from '../checkpoint/dtype.js';
import type { Products } from './products.js';
import { nameOf, type Store } from './store.js';
import type { Linear } from './weight-reader.js';

/** The number of successive inputs of an output whose weights share a scale. */
const BLOCK = 32;

/** The value of a byte that stands for 0. */
const ZERO = 128;

/**
 * Products of rows in 16 bits with weights of 8, widened as they are multiplied: the fastest that WebGPU has for wide
 * layers. Every block of weights has a scale of its own, so unlike the bytes of int8Products they need no calibration.
 */
export function byteWeightProducts(store: Store, floats: Products): Products {
  const { graph } = store;
  return (rows, name) => {
    const otherwise = floats(rows, name);
    let narrow: Value | undefined;
    const times = (linear: Linear): Value => {
      const { inputs: K, outputs: N } = store.weights.shape(linear);
      // Layers of an odd width, of which there are few.
      if (K % BLOCK !== 0) return otherwise.times(linear);
      narrow ??= graph.op('Cast', [rows], { to: ElementType.float16 });
      const { values, scales } = blocks(store, linear, N, K);
      const attributes = { K, N, bits: 8, block_size: BLOCK, accuracy_level: 0 };
      const product = graph.op('MatMulNBits', [narrow, values, scales], attributes, MICROSOFT);
      return graph.op('Cast', [product], { to: ElementType.float32 });
    };
    return {
      times,
      timesPlusBias: (linear, bias) => graph.op('Add', [times(linear), bias]),
      timesPlusRows: (linear, more) => graph.op('Add', [times(linear), more]),
    };
  };
}

/** A layer's weights as bytes `[N, K / BLOCK, BLOCK]`, and a scale for each block. */
function blocks(
  store: Store,
  linear: Linear,
  N: number,
  K: number,
): { readonly values: Value; readonly scales: Value } {
  const name = nameOf(linear);
  const count = (N * K) / BLOCK;
  const scales = async () => scalesOf(await store.weights.rows(linear));
  return {
    values: store.graph.initializer(`${name} bytes`, 'uint8', [N, K / BLOCK, BLOCK], async () => {
      const weights = await store.weights.rows(linear);
      // Of the scales as they are stored.
      const rounded = widenHalf(scalesOf(weights));
      return Uint8Array.from(weights, (weight, i) => {
        const scale = rounded[Math.floor(i / BLOCK)];
        const steps = scale === 0 ? 0 : Math.round(weight / scale);
        return ZERO + Math.max(-ZERO, Math.min(ZERO - 1, steps));
      });
    }),
    scales: store.graph.initializer(`${name} scales`, 'float16', [count], scales),
  };
}

function scalesOf(weights: Float32Array): Uint16Array {
  const largest = new Float32Array(weights.length / BLOCK);
  weights.forEach((weight, i) => {
    const block = Math.floor(i / BLOCK);
    largest[block] = Math.max(largest[block], Math.abs(weight));
  });
  return narrowToHalf(largest.map((value) => value / (ZERO - 1)));
}
