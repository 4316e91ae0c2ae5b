// The fastest that onnxruntime's WebGPU multiplies, by operator: eight products in a row of [rows, width]·[width, width].
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { ElementType, Graph, MICROSOFT, type Value, writeModel } from '../../../src/bert/onnx/index.js';
import { narrowToHalf } from '../../../src/bert/checkpoint/index.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianRun } from './timing.js';

const ROWS = 16_384;
const PRODUCTS = 8;
const BLOCK = 32;

interface Way {
  readonly op: 'MatMul' | 'Gemm' | 'MatMulNBits';
  readonly float: 'float32' | 'float16';
  readonly bits?: number;
  readonly accuracy?: number;
}

const ways: readonly Way[] = [
  { op: 'MatMul', float: 'float32' },
  { op: 'Gemm', float: 'float32' },
  { op: 'MatMul', float: 'float16' },
  { op: 'Gemm', float: 'float16' },
  { op: 'MatMulNBits', float: 'float16', bits: 8, accuracy: 4 },
  { op: 'MatMulNBits', float: 'float16', bits: 4, accuracy: 4 },
  { op: 'MatMulNBits', float: 'float16', bits: 8, accuracy: 0 },
  { op: 'MatMulNBits', float: 'float16', bits: 4, accuracy: 0 },
];

function floats(count: number, float: 'float32' | 'float16'): ArrayBufferView {
  const values = Float32Array.from({ length: count }, (_, i) => Math.sin(i * i) * 0.05);
  return float === 'float16' ? narrowToHalf(values) : values;
}

function chain({ op, float, bits = 8, accuracy = 0 }: Way, width: number): Graph {
  const graph = new Graph('products');
  const scale = graph.input('scale', 'float32', [1]);
  const start = graph.initializer('x', float, [ROWS, width], () => floats(ROWS * width, float));
  let x = graph.op('Mul', [
    start,
    float === 'float32' ? scale : graph.op('Cast', [scale], { to: ElementType.float16 }),
  ]);
  for (let i = 0; i < PRODUCTS; i++) x = product(i, x);
  const most = graph.op('ReduceMax', [x, graph.integers([1])], { keepdims: 0 });
  graph.output(graph.op('Cast', [most], { to: ElementType.float32 }), 'y', 'float32', [ROWS]);
  return graph;

  function product(i: number, rows: Value): Value {
    if (op === 'MatMulNBits') {
      const blocks = width / BLOCK;
      const bytes = (BLOCK * bits) / 8;
      const weight = graph.initializer(`w${i}`, 'uint8', [width, blocks, bytes], () =>
        Uint8Array.from({ length: width * blocks * bytes }, (_, at) => (at * 2654435761) >>> 24),
      );
      const scales = graph.initializer(`s${i}`, float, [width * blocks], () => floats(width * blocks, float));
      const attributes = { K: width, N: width, bits, block_size: BLOCK, accuracy_level: accuracy };
      return graph.op('MatMulNBits', [rows, weight, scales], attributes, MICROSOFT);
    }
    const weight = graph.initializer(`w${i}`, float, [width, width], () => floats(width * width, float));
    if (op === 'MatMul') return graph.op('MatMul', [rows, weight]);
    const bias = graph.initializer(`b${i}`, float, [width], () => floats(width, float));
    return graph.op('Gemm', [rows, weight, bias]);
  }
}

for (const width of [256, 1024]) {
  for (const way of ways) {
    const folder = mkdtempSync(join(tmpdir(), 'bert-qe-products-'));
    try {
      await writeModel(chain(way, width), join(folder, 'm.onnx'));
      const session = await InferenceSession.create(join(folder, 'm.onnx'), {
        executionProviders: ['webgpu', 'cpu'],
        logSeverityLevel: 3,
      });
      const seconds = await medianRun(session, { scale: new Tensor('float32', Float32Array.of(1), [1]) });
      const flops = 2 * ROWS * width * width * PRODUCTS;
      console.log(JSON.stringify({ kind: 'product', ...way, width, teraflops: flops / seconds / 1e12 }));
      await session.release();
    } catch (error) {
      console.log(JSON.stringify({ kind: 'product', ...way, width, error: String(error).slice(0, 300) }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
