// node graphs.js SIZES [VALIDATION] [float32|float16] [float32|float16]: pairs per second of whole graphs, by what products are
// computed and weights kept in, attention, products and batch.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelConfig, SizeLetter } from '../../../src/bert/config.js';
import { type Arithmetic, bertGraph, GRAPH_IDS, GRAPH_SLOTS } from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { WIDEN_IN_RUNS } from '../../../src/bert/runtime/index.js';
import { usefulFlops } from '../flops.js';
import { randomWeights, sizeConfig } from './random-weights.js';
import { medianRun } from './timing.js';

const [sizes, validation = 'basic', onlyFloat, onlyKept] = process.argv.slice(2);

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

const WAYS = [
  { attention: 'plain', products: 'Gemm' },
  { attention: 'fused', products: 'Gemm' },
  { attention: 'by head', products: 'Gemm' },
  { attention: 'plain', products: 'MatMul' },
] as const;

/** What products are computed in and what weights are kept in: fp32 and fp16 as compiled, and products of 16 bits. */
const FLOATS = [
  { float: 'float32', kept: 'float32' },
  { float: 'float32', kept: 'float16' },
  { float: 'float16', kept: 'float16' },
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
  for (const { float, kept } of FLOATS) {
    for (const { attention, products } of WAYS) {
      if (float !== (onlyFloat ?? float) || kept !== (onlyKept ?? kept)) continue;
      const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
      const way = { kind: 'graph', size, float, kept, attention, products, validation };
      try {
        const path = join(folder, 'm.onnx');
        await writeModel(
          bertGraph(randomWeights(config), {
            float,
            kept,
            attention,
            padded: attention === 'plain',
            unitsAtOnce: Infinity,
            ...(products === 'MatMul' && { products: matMul }),
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
