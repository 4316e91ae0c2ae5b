// node cuda-graphs.js SIZES PRECISIONS TOKENS: pairs per second of packed graphs on CUDA, ids at hand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import { GRAPH_LOGITS, packedGraph } from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { usefulFlops } from '../flops.js';
import { randomFeeds } from './cuda-batch.js';
import { randomWeights, sizeConfig } from './random-weights.js';
import { medianRun } from './timing.js';

const [sizes, precisions, tokenCounts] = process.argv.slice(2);

/** Lengths of sequences: all alike, or anything from 80 to 240. */
const MIXES = {
  '160': () => 160,
  '80–240': () => 80 + Math.floor(Math.random() * 161),
};

for (const size of sizes as Iterable<SizeLetter>) {
  const config = sizeConfig(size);
  for (const precision of precisions.split(',') as ('fp16' | 'tf32' | 'fp32')[]) {
    const folder = mkdtempSync(join(tmpdir(), 'bert-qe-gpu-'));
    const way = { kind: 'cuda graph', size, precision };
    try {
      const path = join(folder, 'm.onnx');
      await writeModel(packedGraph(randomWeights(config), precision), path);
      const start = performance.now();
      const session = await InferenceSession.create(path, {
        executionProviders: ['cuda'],
        enableMemPattern: false,
        logSeverityLevel: 3,
      });
      const loadSeconds = (performance.now() - start) / 1000;
      for (const tokens of tokenCounts.split(',').map(Number)) {
        for (const [mix, length] of Object.entries(MIXES)) {
          const lengths = Int32Array.from({ length: Math.floor(tokens / 160) }, length);
          const feeds = randomFeeds(lengths, config.vocabulary);
          const seconds = await medianRun(session, feeds, 0.3);
          const finite = ((await session.run(feeds))[GRAPH_LOGITS].data as Float32Array).every(
            Number.isFinite,
          );
          const flops = lengths.reduce((sum, each) => sum + usefulFlops(config, each), 0);
          console.log(
            JSON.stringify({
              ...way,
              loadSeconds,
              tokens,
              mix,
              pairsPerSecond: Math.round(lengths.length / seconds),
              teraflops: Number((flops / seconds / 1e12).toFixed(1)),
              milliseconds: Number((1000 * seconds).toFixed(2)),
              finite,
            }),
          );
        }
      }
      await session.release();
    } catch (error) {
      console.log(JSON.stringify({ ...way, error: String(error).slice(0, 400) }));
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}
