// node graphs.js SIZES [VALIDATION]: pairs per second of whole graphs, by the types of products and of stored weights,
// attention, products and batch.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelConfig } from '../../../src/bert/config.js';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import {
  bertGraph,
  GRAPH_IDS,
  GRAPH_SLOTS,
  type GraphOptions,
  WHOLE,
} from '../../../src/bert/graph/index.js';
import type { Linear } from '../../../src/bert/graph/weight-reader.js';
import { narrowToHalf } from '../../../src/bert/checkpoint/index.js';
import { ElementType, MICROSOFT, type Value, writeModel } from '../../../src/bert/onnx/index.js';
import { WIDEN_IN_RUNS } from '../../../src/bert/runtime/index.js';
import { usefulFlops } from '../flops.js';
import { randomWeights, sizeConfig } from './random-weights.js';
import { medianRun } from './timing.js';

const [sizes, validation = 'basic'] = process.argv.slice(2);

/** More layers only repeat the same work. */
const MOST_LAYERS = 5;

/** Tokens in a batch, and the length of its sequences: 160 is phase three's. */
const SHAPES = [
  [2048, 160],
  [8192, 160],
  [16_384, 160],
  [32_768, 160],
  [65_536, 160],
  [16_384, 384],
] as const;

/** Products as a plain MatMul and a sum, beside the Gemm that the graph uses. */
const matMul: GraphOptions['products'] = (store) => (rows) => {
  const { graph } = store;
  return {
    times: (linear) => graph.op('MatMul', [rows, store.matrix(linear)]),
    timesPlusBias: (linear, bias) =>
      graph.op('Add', [graph.op('MatMul', [rows, store.matrix(linear)]), bias]),
    timesPlusRows: (linear, more) =>
      graph.op('Add', [graph.op('MatMul', [rows, store.matrix(linear)]), more]),
  };
};

/** As byteWeightProducts, but of noise: only the time counts. */
const matMulNBits: GraphOptions['products'] = (store) => (rows) => {
  const { graph, weights } = store;
  const narrow = graph.op('Cast', [rows], { to: ElementType.float16 });
  const times = (linear: Linear) => {
    const { inputs: K, outputs: N } = weights.shape(linear);
    const blocks = K / BLOCK;
    const name = JSON.stringify(linear);
    const matrix = graph.initializer(`${name} bytes`, 'uint8', [N, blocks, BLOCK], () => noise(N * K));
    const scales = graph.initializer(`${name} scales`, 'float16', [N * blocks], () =>
      narrowToHalf(new Float32Array(N * blocks).fill(1e-4)),
    );
    const attributes = { K, N, bits: 8, block_size: BLOCK, accuracy_level: 0 };
    const product = graph.op('MatMulNBits', [narrow, matrix, scales], attributes, MICROSOFT);
    return graph.op('Cast', [product], { to: ElementType.float32 });
  };
  return {
    times,
    timesPlusBias: (linear, bias) => graph.op('Add', [times(linear), bias]),
    timesPlusRows: (linear, more) => graph.op('Add', [times(linear), more]),
  };
};
const BLOCK = 32;

/** Products of 16 bits, which WebGPU adds up in 16 bits. */
const halfGemm: GraphOptions['products'] = (store) => (rows) => {
  const { graph, weights } = store;
  const cast = (value: Value, to: 'float16' | 'float32') =>
    graph.op('Cast', [value], { to: ElementType[to] });
  const narrow = cast(rows, 'float16');
  const matrix = (linear: Linear) => {
    const { inputs, outputs } = weights.shape(linear);
    const data = async () => narrowToHalf(await weights.matrix(linear));
    return graph.initializer(`${JSON.stringify(linear)} half`, 'float16', [inputs, outputs], data);
  };
  const times = (linear: Linear) => cast(graph.op('MatMul', [narrow, matrix(linear)]), 'float32');
  return {
    times,
    timesPlusBias: (linear, bias) =>
      cast(graph.op('Gemm', [narrow, matrix(linear), cast(bias, 'float16')]), 'float32'),
    timesPlusRows: (linear, more) => graph.op('Add', [times(linear), more]),
  };
};
const noise = (count: number) => Uint8Array.from({ length: count }, (_, at) => (at * 2654435761) >>> 24);

/** fp32 and fp16 as they are compiled, then other combinations: the type of products, the type in which weights are `kept`. */
const WAYS = [
  { float: 'float32', kept: 'float32', attention: 'plain', products: 'Gemm' },
  { float: 'float32', kept: 'float16', attention: 'plain', products: 'Gemm' },
  { float: 'float32', kept: 'float32', attention: 'fused', products: 'Gemm' },
  { float: 'float32', kept: 'float32', attention: 'by head', products: 'Gemm' },
  { float: 'float32', kept: 'float32', attention: 'plain', products: 'MatMul' },
  { float: 'float16', kept: 'float16', attention: 'plain', products: 'Gemm' },
  { float: 'float32', kept: 'float32', attention: 'plain', products: 'MatMulNBits' },
] as const;
const PRODUCTS = { Gemm: undefined, MatMul: matMul, MatMulNBits: matMulNBits };

function feeds(config: ModelConfig, rows: number, length: number): Record<string, Tensor> {
  const ids = Int32Array.from({ length: rows * length }, () => Math.floor(Math.random() * config.vocabulary));
  const slots = ids.map((_, i) => i % length);
  const dims = [rows, length];
  return { [GRAPH_IDS]: new Tensor('int32', ids, dims), [GRAPH_SLOTS]: new Tensor('int32', slots, dims) };
}

for (const size of sizes as Iterable<SizeLetter>) {
  const whole = sizeConfig(size);
  const config = sizeConfig(size, Math.min(whole.layers, MOST_LAYERS));
  for (const { float, kept, attention, products } of WAYS) {
    const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
    const own = float === 'float16' ? halfGemm : PRODUCTS[products];
    const way = { kind: 'graph', size, float, kept, attention, products, validation };
    try {
      const path = join(folder, 'm.onnx');
      await writeModel(
        bertGraph(randomWeights(config), {
          kept,
          attention,
          padded: attention === 'plain',
          unitParts: WHOLE,
          ...(own && { products: own }),
        }),
        path,
      );
      const session = await InferenceSession.create(path, {
        executionProviders: [{ name: 'webgpu', validationMode: validation as 'basic' }, 'cpu'],
        graphOptimizationLevel: 'all',
        logSeverityLevel: 3,
        ...(kept !== float && { extra: WIDEN_IN_RUNS }),
      });
      for (const [tokens, length] of SHAPES) {
        const rows = Math.floor(tokens / length);
        const seconds = await medianRun(session, feeds(config, rows, length), 0.2);
        const teraflops = (rows * usefulFlops(config, length)) / seconds / 1e12;
        // The rate of the whole model: its layers are alike.
        const pairsPerSecond = (teraflops * 1e12) / usefulFlops(whole, length);
        console.log(
          JSON.stringify({
            ...way,
            tokens,
            length,
            milliseconds: 1000 * seconds,
            teraflops,
            pairsPerSecond,
          }),
        );
      }
      await session.release();
    } catch (error) {
      console.log(JSON.stringify({ ...way, error: String(error).slice(0, 300) }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
