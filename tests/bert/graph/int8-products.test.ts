import { Tensor } from 'onnxruntime-node';
import { expect, it } from 'vitest';
import { floatProducts } from '../../../src/bert/graph/products.js';
import { type Int8Form, int8Products } from '../../../src/bert/graph/index.js';
import { Store } from '../../../src/bert/graph/store.js';
import type { WeightReader } from '../../../src/bert/graph/weight-reader.js';
import { Graph } from '../../../src/bert/onnx/index.js';
import { withSession } from './run-graph.js';

const [inputs, outputs] = [32, 8];
const rows = Float32Array.from({ length: 5 * inputs }, (_, i) => Math.sin(i * i) * 3);
/** Weights that bytes hold exactly, so that all of the error is that of the rows. */
const values = Int8Array.from({ length: inputs * outputs }, (_, i) => ((i * 37) % 255) - 127);

/** rows · W as products of bytes. */
async function products(zero: number, hasRest: boolean): Promise<Float32Array> {
  const form: Int8Form = {
    operands: new Map([['rows', { step: 0.03, zero, hasRest }]]),
    matrices: new Map([['layer', { inputs, outputs, values, scales: new Float32Array(outputs).fill(1) }]]),
    orders: new Map(),
  };
  const graph = new Graph('test');
  const x = graph.input('x', 'float32', ['rows', inputs]);
  const store = new Store(graph, {} as WeightReader, 'float32');
  const product = int8Products(store, floatProducts(store), form)(x, 'rows').times({ layer: 'layer' });
  graph.output(product, 'y', 'float32', ['rows', outputs]);
  return withSession(graph, async (session) => {
    const { y } = await session.run({ x: new Tensor('float32', rows, [5, inputs]) });
    return y.data as Float32Array;
  });
}

function errorOf(found: Float32Array): number {
  const errors = found.map((value, i) => {
    const [row, output] = [Math.floor(i / outputs), i % outputs];
    let exact = 0;
    for (let j = 0; j < inputs; j++) exact += rows[row * inputs + j] * values[output * inputs + j];
    return value - exact;
  });
  return Math.hypot(...errors);
}

it.each([100, 128, 150])(
  'a second byte holds most of what the first rounds off: zero point %i',
  async (zero) => {
    const [one, two] = [errorOf(await products(zero, false)), errorOf(await products(zero, true))];
    expect(two).toBeGreaterThan(0);
    expect(two).toBeLessThan(one / 5);
  },
);
