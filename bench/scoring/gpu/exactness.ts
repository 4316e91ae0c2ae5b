// node exactness.js NAMES [STYLE…]: how far WebGPU's logits are from Hugging Face's, by precision and attention.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import {
  type AttentionStyle,
  bertGraph,
  GRAPH_IDS,
  GRAPH_LOGITS,
  GRAPH_SLOTS,
  WHOLE,
} from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { WIDEN_IN_RUNS } from '../../../src/bert/runtime/index.js';
import { seededCase, seededSequence, seededWeights } from '../../../tests/bert/graph/seeded-model.js';

const [names, ...styles] = process.argv.slice(2);
const attentions =
  styles.length > 0 ? (styles as AttentionStyle[]) : (['plain', 'fused', 'by head'] as const);

for (const name of names) {
  const { config, lengths, logits } = seededCase(name);
  for (const float of ['float32', 'float16'] as const) {
    for (const attention of attentions) {
      if (name === 'L' && attention === 'by head') continue;
      const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
      try {
        const path = join(folder, 'm.onnx');
        const options = { kept: float, attention, unitParts: WHOLE };
        await writeModel(bertGraph(seededWeights(config), options), path);
        const session = await InferenceSession.create(path, {
          executionProviders: ['webgpu', 'cpu'],
          graphOptimizationLevel: 'all',
          logSeverityLevel: 3,
          ...(float === 'float16' && { extra: WIDEN_IN_RUNS }),
        });
        const differences: number[] = [];
        for (const [i, length] of lengths.entries()) {
          const { ids, types } = seededSequence(length, config.vocabulary);
          const slots = types.map((type, position) => type * config.maxPositions + position);
          const result = await session.run({
            [GRAPH_IDS]: new Tensor('int32', ids, [1, length]),
            [GRAPH_SLOTS]: new Tensor('int32', slots, [1, length]),
          });
          const values = [...(result[GRAPH_LOGITS].data as Float32Array)];
          differences.push(Math.max(...values.map((value, label) => Math.abs(value - logits[i][label]))));
        }
        console.log(
          JSON.stringify({ kind: 'exactness', size: name, float, attention, lengths, differences }),
        );
        await session.release();
      } catch (error) {
        console.log(
          JSON.stringify({
            kind: 'exactness',
            size: name,
            float,
            attention,
            error: String(error).slice(0, 300),
          }),
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
  }
}
