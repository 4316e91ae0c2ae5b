// node cuda-exactness.js NAMES: how far the logits of packed graphs on CUDA are from Hugging Face's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { GRAPH_LOGITS, packedGraph } from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { seededCase, seededSequence, seededWeights } from '../../../tests/bert/graph/seeded-model.js';
import { packedFeeds } from './cuda-batch.js';

const [names] = process.argv.slice(2);

for (const name of names) {
  const { config, lengths, logits } = seededCase(name);
  for (const precision of ['fp16', 'tf32', 'fp32'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
    const way = { kind: 'cuda exactness', size: name, precision };
    try {
      const path = join(folder, 'm.onnx');
      await writeModel(packedGraph(seededWeights(config), precision), path);
      const session = await InferenceSession.create(path, {
        executionProviders: ['cuda'],
        enableMemPattern: false,
        logSeverityLevel: 3,
      });
      const sequences = lengths.map((length) => seededSequence(length, config.vocabulary));
      const feeds = packedFeeds(
        Int32Array.from(sequences.flatMap(({ ids }) => [...ids])),
        Int32Array.from(sequences, ({ types }) => types.indexOf(1)),
        Int32Array.from(lengths),
        config.maxPositions,
      );
      const values = (await session.run(feeds))[GRAPH_LOGITS].data as Float32Array;
      const differences = lengths.map((_, i) =>
        Math.max(...logits[i].map((value, label) => Math.abs(value - values[i * config.labels + label]))),
      );
      console.log(JSON.stringify({ ...way, lengths, differences }));
      await session.release();
    } catch (error) {
      console.log(JSON.stringify({ ...way, error: String(error).slice(0, 400) }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
