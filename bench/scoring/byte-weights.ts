import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bertWeights, openCheckpoint } from '../../src/bert/checkpoint/index.js';
import { compiledGraph } from '../../src/bert/compile/index.js';
import { paddingSlot } from '../../src/bert/graph/index.js';
import { findModel, loadTokenizer, readModelConfig } from '../../src/bert/index.js';
import { writeModel } from '../../src/bert/onnx/index.js';
import { workerUrl } from '../../src/bert/runtime/index.js';
import { PairScorer } from '../../src/bert/scorer/pair-scorer.js';
import type { PlanOptions } from '../../src/bert/scorer/plan.js';
import { WorkerPool } from '../../src/bert/scorer/pool.js';
import { encodingOf } from '../../src/bert/scorer/window.js';

const MAX_LENGTH = 384;
const BATCH_TOKENS = 4096;

class ByteWeightScorer extends PairScorer {
  static of(labels: number, pool: WorkerPool, planning: PlanOptions): ByteWeightScorer {
    return new ByteWeightScorer({ labels }, pool, planning);
  }
}

/** A scorer on the CPU of the graph that WebGPU runs in int8: weights of 8 bits, rows of 16. */
export async function byteWeightScorer(name: string): Promise<PairScorer> {
  const folder = await findModel(name);
  const [config, tokenizer] = [await readModelConfig(folder), await loadTokenizer(folder)];
  const temporary = mkdtempSync(join(tmpdir(), 'bert-qe-bytes-'));
  const path = join(temporary, 'm.onnx');
  const checkpoint = await openCheckpoint(folder);
  await writeModel(compiledGraph(bertWeights(checkpoint, config), 'int8', 'padded'), path);
  await checkpoint.close();
  const { labels, maxPositions } = config;
  const model = { path, labels, maxPositions, batches: 'padded', paddingSlot: paddingSlot(config) } as const;
  const pool = await WorkerPool.open(2, {
    file: workerUrl('scorer/worker.js'),
    setup: { model, device: 'cpu', threads: 1, secondSegment: tokenizer.template.secondSegment },
  });
  rmSync(temporary, { recursive: true });
  const encoding = encodingOf(tokenizer, MAX_LENGTH);
  return ByteWeightScorer.of(labels, pool, { ...encoding, batches: 'padded', batchTokens: BATCH_TOKENS });
}
