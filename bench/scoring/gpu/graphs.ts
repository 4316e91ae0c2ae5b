// node graphs.js SIZES [VALIDATION] [float32|float16] [whole|short]: pairs per second of whole graphs, by precision, attention,
// products and batch.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelConfig, SizeLetter } from '../../../src/bert/config.js';
import {
  type Arithmetic,
  bertGraph,
  GRAPH_IDS,
  GRAPH_SLOTS,
  halfTerms,
} from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { usefulFlops } from '../flops.js';
import { randomWeights, sizeConfig } from './random-weights.js';
import { medianRun } from './timing.js';

const [sizes, validation = 'basic', onlyFloat, onlySums] = process.argv.slice(2);

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
const matMul: Arithmetic['products'] = (store) => (rows) => {
  const { graph } = store;
  return {
    times: (linear) => graph.op('MatMul', [rows, store.matrix(linear)]),
    timesPlusBias: (linear, bias) =>
      graph.op('Add', [graph.op('MatMul', [rows, store.matrix(linear)]), bias]),
    timesPlusRows: (linear, more) =>
      graph.op('Add', [graph.op('MatMul', [rows, store.matrix(linear)]), more]),
  };
};

/** `sums` matter to float16 alone: `short` ones, as the compiled model has them, or whole, which are faster and too rough. */
const WAYS = [
  { attention: 'plain', products: 'Gemm', sums: 'whole' },
  { attention: 'fused', products: 'Gemm', sums: 'whole' },
  { attention: 'by head', products: 'Gemm', sums: 'whole' },
  { attention: 'plain', products: 'MatMul', sums: 'whole' },
  { attention: 'plain', products: 'Gemm', sums: 'short' },
  { attention: 'fused', products: 'Gemm', sums: 'short' },
] as const;

function feeds(config: ModelConfig, rows: number, length: number): Record<string, Tensor> {
  const ids = Int32Array.from({ length: rows * length }, () => Math.floor(Math.random() * config.vocabulary));
  const slots = ids.map((_, i) => i % length);
  const dims = [rows, length];
  return { [GRAPH_IDS]: new Tensor('int32', ids, dims), [GRAPH_SLOTS]: new Tensor('int32', slots, dims) };
}

for (const size of sizes as Iterable<SizeLetter>) {
  const whole = sizeConfig(size);
  const config = sizeConfig(size, Math.min(whole.layers, MOST_LAYERS));
  for (const float of ['float32', 'float16'] as const) {
    for (const { attention, products, sums } of WAYS) {
      if (sums === 'short' && float === 'float32') continue;
      if (float !== (onlyFloat ?? float) || sums !== (onlySums ?? sums)) continue;
      const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
      const way = { kind: 'graph', size, float, attention, products, sums, validation };
      try {
        const path = join(folder, 'm.onnx');
        const own = {
          ...(products === 'MatMul' ? { products: matMul } : {}),
          ...(sums === 'short' ? { terms: halfTerms(whole) } : {}),
        };
        await writeModel(
          bertGraph(randomWeights(config), {
            float,
            attention,
            padded: attention === 'plain',
            unitsAtOnce: Infinity,
            ...own,
          }),
          path,
        );
        const session = await InferenceSession.create(path, {
          executionProviders: [{ name: 'webgpu', validationMode: validation as 'basic' }, 'cpu'],
          graphOptimizationLevel: 'all',
          logSeverityLevel: 3,
        });
        for (const [tokens, length] of SHAPES) {
          const rows = Math.floor(tokens / length);
          const seconds = await medianRun(session, feeds(config, rows, length), 0.2);
          const teraflops = (rows * usefulFlops(config, length)) / seconds / 1e12;
          // What the whole model would score: its layers differ in nothing.
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
}
