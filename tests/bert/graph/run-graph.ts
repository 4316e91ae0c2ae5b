import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelConfig } from '../../../src/bert/config.js';
import { GRAPH_IDS, GRAPH_LOGITS, GRAPH_SLOTS } from '../../../src/bert/graph/index.js';
import { type Graph, writeModel } from '../../../src/bert/onnx/index.js';
import { seededSequence } from './seeded-model.js';

/** Writes a graph to disk as the scorer does, opens it, and removes it again when `use` is done. */
export async function withSession<T>(
  graph: Graph,
  use: (session: InferenceSession) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bert-qe-graph-'));
  try {
    const path = join(folder, 'model.onnx');
    await writeModel(graph, path);
    const session = await InferenceSession.create(path, {
      graphOptimizationLevel: 'all',
      intraOpNumThreads: 2,
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
    try {
      return await use(session);
    } finally {
      await session.release();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Logits of `copies` times the fixture's sequence of a length, in one batch. */
export async function seededLogits(
  session: InferenceSession,
  config: ModelConfig,
  length: number,
  copies = 1,
): Promise<number[][]> {
  const { ids, types } = seededSequence(length, config.vocabulary);
  const slots = types.map((type, position) => type * config.maxPositions + position);
  const repeat = (row: Int32Array) =>
    new Tensor('int32', Int32Array.from(Array.from({ length: copies }, () => [...row]).flat()), [
      copies,
      length,
    ]);
  const result = await session.run({ [GRAPH_IDS]: repeat(ids), [GRAPH_SLOTS]: repeat(slots) });
  const logits = result[GRAPH_LOGITS].data as Float32Array;
  return Array.from({ length: copies }, (_, i) => [
    ...logits.subarray(i * config.labels, (i + 1) * config.labels),
  ]);
}
