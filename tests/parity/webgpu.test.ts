import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compiledGraph, defaultCalibrationPairs, type Precision } from '../../src/bert/compile/index.js';
import { BertScorer, kendallTau } from '../../src/bert/index.js';
import { ElementType, Graph, modelBytes, writeModel } from '../../src/bert/onnx/index.js';
import { reasonOf } from '../../src/common/errors.js';
import { seededLogits } from '../bert/graph/run-graph.js';
import { seededCase, seededWeights } from '../bert/graph/seeded-model.js';
import { openBertEngine } from '../../src/training/engine/bert-engine.js';
import { miniConfig } from '../bert/scorer/mini-model.js';
import { seededBatch } from '../training/seeded-batch.js';

/** The largest distance of logits from those of Hugging Face transformers in fp32. */
const LIMITS = { fp32: 1e-4, fp16: 5e-3 } as const;
const providers = ['webgpu', 'cpu'] as const;

/** The reason why nothing can be run here, if there is one; a software adapter (Mesa's lavapipe 25) suffices. */
async function obstacle(): Promise<string | undefined> {
  const graph = new Graph('adapter');
  const half = graph.op('Cast', [graph.input('x', 'float32', ['n'])], { to: ElementType.float16 });
  graph.output(graph.op('Add', [half, half]), 'y', 'float16', ['n']);
  try {
    const session = await InferenceSession.create(await modelBytes(graph), {
      executionProviders: [...providers],
      logSeverityLevel: 4,
    });
    await session.release();
    return undefined;
  } catch (error) {
    return `no WebGPU adapter: ${reasonOf(error).slice(0, 200)}`;
  }
}

/** The losses of four steps of a little model. */
async function trainingLosses(device: 'cpu' | 'webgpu'): Promise<number[]> {
  const weights = seededWeights(miniConfig);
  const engine = await openBertEngine(
    { config: miniConfig, loss: 'pointwise', dropout: 0, seed: 1, device, threads: 1 },
    (name) => weights.get(name),
  );
  const batch = seededBatch([8, 12, 17, 9], miniConfig.vocabulary, [0.25, 0, 0, 0.25, 0, 0.25, 0.25, 0], 2);
  const losses: number[] = [];
  for (let step = 0; step < 4; step++)
    losses.push((await engine.step({ number: step, learningRate: 1e-3, batches: [batch] })).loss);
  await engine.release();
  return losses;
}

/** Logits of so many pairs of the demo, through the whole scorer. */
async function logitsOf(model: string, device: 'cpu' | 'webgpu', precision: Precision, count = 60) {
  const pairs = (await defaultCalibrationPairs()).slice(0, count);
  const scorer = await BertScorer.load({ model, device, precision });
  try {
    return (await scorer.scoreLogits(pairs)).values;
  } finally {
    await scorer.close();
  }
}

/** Relevance before the sigmoid. */
function margins(values: Float32Array): number[] {
  return Array.from({ length: values.length / 2 }, (_, i) => values[2 * i + 1] - values[2 * i]);
}

const missing = await obstacle();
if (missing !== undefined) process.stderr.write(`tests/parity/webgpu.test.ts is skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('on WebGPU', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bert-qe-webgpu-'));
  const cache = process.env.BERT_QE_CACHE;
  beforeAll(() => {
    process.env.BERT_QE_CACHE = join(folder, 'cache');
  });
  afterAll(() => {
    if (cache === undefined) delete process.env.BERT_QE_CACHE;
    else process.env.BERT_QE_CACHE = cache;
    rmSync(folder, { recursive: true });
  });

  const cases = (['fp32', 'fp16'] as const).flatMap((precision) =>
    ['T', 'S', 'M'].map((name) => ({ name, precision })),
  );
  test.each(cases)('$name of random weights in $precision is as exact as promised', async (each) => {
    const { config, lengths, logits } = seededCase(each.name);
    const path = join(folder, `${each.name}-${each.precision}.onnx`);
    await writeModel(compiledGraph(seededWeights(config), each.precision, 'padded'), path);
    const session = await InferenceSession.create(path, {
      executionProviders: [...providers],
      logSeverityLevel: 3,
    });
    for (const [i, length] of lengths.entries()) {
      if (length > 150) continue;
      const [found] = await seededLogits(session, config, length);
      found.forEach((value, label) =>
        expect(Math.abs(value - logits[i][label])).toBeLessThan(LIMITS[each.precision]),
      );
    }
    await session.release();
  });

  test.each(['T', 'S'])('%s as it ships keeps the ranking of the CPU in int8', async (model) => {
    const exact = margins(await logitsOf(model, 'cpu', 'fp32', 24));
    const found = margins(await logitsOf(model, 'webgpu', 'int8', 24));
    expect(found).not.toEqual(exact);
    expect(kendallTau(exact, found)).toBeGreaterThan(0.97);
  });

  test.each(['T', 'S'])('%s as it ships gives the logits of the CPU within 5e-3 in fp16', async (model) => {
    const exact = await logitsOf(model, 'cpu', 'fp32');
    const found = await logitsOf(model, 'webgpu', 'fp16');
    found.forEach((value, i) => expect(Math.abs(value - exact[i])).toBeLessThan(LIMITS.fp16));
  });

  test('two models at once, one of them in two workers, give what each gives alone', async () => {
    const pairs = (await defaultCalibrationPairs()).slice(0, 12);
    const on = { device: 'webgpu', precision: 'fp32' } as const;
    const first = await BertScorer.load({ ...on, model: 'T', workers: 2, batchTokens: 512 });
    const second = await BertScorer.load({ ...on, model: 'S' });
    try {
      const together = await Promise.all([first.score(pairs), second.score(pairs)]);
      expect(together).toEqual([await first.score(pairs), await second.score(pairs)]);
    } finally {
      await Promise.all([first.close(), second.close()]);
    }
  });

  test('training goes the way it goes on the CPU', async () => {
    const [cpu, gpu] = [await trainingLosses('cpu'), await trainingLosses('webgpu')];
    expect(cpu[3]).toBeLessThan(cpu[0]);
    gpu.forEach((loss, i) => expect(Math.abs(loss - cpu[i])).toBeLessThan(1e-4));
  });
});
