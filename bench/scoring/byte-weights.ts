import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bertWeights, openCheckpoint } from '../../src/bert/checkpoint/index.js';
import { writeCompiled } from '../../src/bert/compile/index.js';
import { paddingSlot } from '../../src/bert/graph/index.js';
import { findModel, loadTokenizer, readModelConfig } from '../../src/bert/index.js';
import { workerUrl } from '../../src/bert/runtime/index.js';
import { PairScorer } from '../../src/bert/scorer/pair-scorer.js';
import { PieceCache } from '../../src/bert/scorer/piece-cache.js';
import type { PlanOptions } from '../../src/bert/scorer/plan.js';
import { WorkerPool } from '../../src/bert/scorer/pool.js';
import { budgetFor } from '../../src/bert/sequence.js';

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
  const options = {
    precision: 'int8',
    device: 'webgpu',
    batches: 'padded',
    tokenizer,
    calibration: [],
  } as const;
  await writeCompiled(bertWeights(checkpoint, config), options, path);
  await checkpoint.close();
  const { template } = tokenizer;
  const { labels, maxPositions } = config;
  const model = { path, labels, maxPositions, batches: 'padded', paddingSlot: paddingSlot(config) } as const;
  const pool = await WorkerPool.open(2, {
    file: workerUrl('scorer/worker.js'),
    setup: { model, device: 'cpu', threads: 1, secondSegment: template.secondSegment },
  });
  rmSync(temporary, { recursive: true });
  const budget = budgetFor(MAX_LENGTH, template);
  return ByteWeightScorer.of(labels, pool, {
    pieces: new PieceCache(tokenizer, Math.max(budget.first, budget.second)),
    template,
    budget,
    batches: 'padded',
    batchTokens: BATCH_TOKENS,
  });
}
