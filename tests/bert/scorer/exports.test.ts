import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportGraph } from '../../../src/bert/graph/index.js';
import { Graph, type Value, writeSingleFileModel } from '../../../src/bert/onnx/index.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import type { TextPair } from '../../../src/bert/types.js';
import { seededWeights } from '../graph/seeded-model.js';
import { EXPORT_NAMES, changeConfig, emptyModel, miniConfig, miniExport, miniModel } from './mini-model.js';

const pairs: TextPair[] = ['abc', 'some longer words', 'z', ''].flatMap((a) =>
  ['abc', 'other text that is long enough to be cut at thirty two', ''].map((b) => ({ a, b })),
);

async function logits(model: string): Promise<number[]> {
  const scorer = await BertScorer.load({ model, maxLength: 32, workers: 1 });
  try {
    return [...(await scorer.scoreLogits(pairs)).values];
  } finally {
    await scorer.close();
  }
}

function expectNear(found: number[], expected: number[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(1e-5));
}

/** A model folder whose graph is what `build` makes of the ids. */
async function withGraph(build: (graph: Graph, ids: Value) => void): Promise<string> {
  const folder = emptyModel();
  const graph = new Graph('odd');
  build(graph, graph.input('input_ids', 'int64', ['batch', 'sequence']));
  mkdirSync(join(folder, 'onnx'));
  await writeSingleFileModel(graph, join(folder, 'onnx/model.onnx'));
  return folder;
}

const asFloats = (graph: Graph, ids: Value): Value => graph.op('Cast', [ids], { to: 1 });

describe('ONNX exports', () => {
  it('give the scores of the checkpoint they were made from, whatever their inputs are called', async () => {
    const expected = await logits(await miniModel());
    expectNear(await logits(await miniExport(EXPORT_NAMES)), expected);
    expectNear(
      await logits(await miniExport({ ids: 'input_word_ids', mask: 'input_mask', types: 'segment_ids' })),
      expected,
    );
  });

  it('run without token types', async () => {
    const untyped = { ids: 'input_ids', mask: 'attention_mask' };
    const scores = await logits(await miniExport(untyped));
    expect(scores.every(Number.isFinite)).toBe(true);
    expect(scores).not.toEqual(await logits(await miniExport(EXPORT_NAMES)));
  });

  it('run with one label, through the sigmoid', async () => {
    const config = { ...miniConfig, labels: 1 };
    const model = await miniExport(EXPORT_NAMES, config);
    const scorer = await BertScorer.load({ model, maxLength: 32, workers: 1 });
    const { values } = await scorer.scoreLogits(pairs);
    const scores = await scorer.score(pairs);
    expect(values).toHaveLength(pairs.length);
    scores.forEach((score, i) => expect(score).toBeCloseTo(1 / (1 + Math.exp(-values[i])), 6));
    await scorer.close();
  });

  it('have the labels of their graph where the configuration names none', async () => {
    const model = await miniExport(EXPORT_NAMES, { ...miniConfig, labels: 1 });
    const expected = await logits(model);
    changeConfig(model, { id2label: undefined, num_labels: undefined });
    expect(await logits(model)).toEqual(expected);
    expect(expected).toHaveLength(pairs.length);
  });

  it.each([
    ['code of its own', { auto_map: { AutoModelForSequenceClassification: 'own.Ranker' } }],
    ['positions of another kind', { position_embedding_type: 'alibi' }],
  ])('run in place of the weights of a model with %s', async (_, fields) => {
    const model = await miniExport(EXPORT_NAMES);
    const expected = await logits(model);
    const other = seededWeights({ ...miniConfig, layers: 1 });
    cpSync(join(await miniModel(other.config, other), 'model.safetensors'), join(model, 'model.safetensors'));
    changeConfig(model, fields);
    expect(await logits(model)).toEqual(expected);
    rmSync(join(model, 'onnx'), { recursive: true });
    await expect(logits(model)).rejects.toThrow(/runs from an ONNX export .* there is none/);
  });

  it('are taken in the precision their name promises', async () => {
    const folder = emptyModel();
    mkdirSync(join(folder, 'onnx'));
    await writeSingleFileModel(exportGraph(seededWeights(miniConfig)), join(folder, 'onnx/model_int8.onnx'));
    const scorer = await BertScorer.load({ model: folder, maxLength: 32, workers: 1 });
    expect(scorer.info.precision).toBe('int8');
    await scorer.close();
    await expect(BertScorer.load({ model: folder, precision: 'fp16' })).rejects.toThrow(/model_fp16\.onnx/);
  });

  it('are refused when their output is not logits', async () => {
    const tokenwise = await withGraph((graph, ids) => {
      const states = graph.op('Unsqueeze', [asFloats(graph, ids), graph.integers([2])]);
      graph.output(states, 'last_hidden_state', 'float32', ['batch', 'sequence', 1]);
    });
    await expect(logits(tokenwise)).rejects.toThrow(
      /no output looks like logits .* last_hidden_state \[batch, sequence, 1\]/,
    );
    const perToken = await withGraph((graph, ids) =>
      graph.output(asFloats(graph, ids), 'scores', 'float32', ['batch', 'sequence']),
    );
    await expect(logits(perToken)).rejects.toThrow(/output is \[2, 3\], expected \[2, 2\]/);
  });

  it('are refused when they want something that is not text', async () => {
    const odd = await withGraph((graph, ids) => {
      graph.input('pixel_values', 'float32', ['batch', 3]);
      graph.output(asFloats(graph, ids), 'logits', 'float32', ['batch', 'sequence']);
    });
    await expect(logits(odd)).rejects.toThrow(/cannot feed its input "pixel_values" \(float32\)/);
  });

  it('are missed clearly where there is nothing to run', async () => {
    await expect(logits(emptyModel())).rejects.toThrow(/no weights .* and no ONNX export/);
  });
});
