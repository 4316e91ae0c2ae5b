import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { float, Graph, modelBytes, writeModel, writeSingleFileModel } from '../../../src/bert/onnx/index.js';

/** y = LeakyRelu(x · W): every kind of attribute-carrying node but one, and a weight large enough to be external. */
function sample(): Graph {
  const graph = new Graph('sample');
  const x = graph.input('x', 'float32', ['rows', 20]);
  const weight = graph.initializer('W', 'float32', [20, 30], () =>
    Float32Array.from({ length: 600 }, (_, i) => (i % 7) - 3),
  );
  const product = graph.op('MatMul', [x, weight]);
  graph.output(graph.op('LeakyRelu', [product], { alpha: float(0.25) }), 'y', 'float32', ['rows', 30]);
  return graph;
}

const input = Float32Array.from({ length: 40 }, (_, i) => Math.sin(i));

function expected(): number[] {
  return Array.from({ length: 60 }, (_, at) => {
    let sum = 0;
    for (let k = 0; k < 20; k++)
      sum += input[Math.floor(at / 30) * 20 + k] * (((k * 30 + (at % 30)) % 7) - 3);
    return sum < 0 ? sum / 4 : sum;
  });
}

async function run(model: string | Uint8Array): Promise<number[]> {
  const session = await InferenceSession.create(model as string);
  const { y } = await session.run({ x: new Tensor('float32', input, [2, 20]) });
  await session.release();
  return [...(y.data as Float32Array)];
}

function near(values: number[]): void {
  values.forEach((value, i) => expect(value).toBeCloseTo(expected()[i], 4));
}

describe('ONNX models', () => {
  let folder = '';
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'bert-qe-onnx-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('run from memory, from one file, and with weights beside the file', async () => {
    near(await run(await modelBytes(sample())));
    await writeSingleFileModel(sample(), join(folder, 'single.onnx'));
    near(await run(join(folder, 'single.onnx')));
    await writeModel(sample(), join(folder, 'split.onnx'));
    near(await run(join(folder, 'split.onnx')));
    expect(statSync(join(folder, 'split.onnx.data')).size).toBe(2400);
    expect(statSync(join(folder, 'split.onnx')).size).toBeLessThan(1000);
  });

  it('stores equal small constants once', () => {
    const graph = new Graph('constants');
    expect(graph.integers([1, 2])).toBe(graph.integers([1, 2]));
    expect(graph.integers([1, 2])).not.toBe(graph.integers([1, 2], [2, 1]));
    expect(graph.initializers).toHaveLength(2);
  });

  it('refuse a tensor whose bytes do not fit its shape', async () => {
    const graph = new Graph('wrong');
    graph.initializer('W', 'float32', [2, 2], () => new Float32Array(3));
    await expect(modelBytes(graph)).rejects.toThrow(/W, float32 \[2, 2\], was given 12 bytes/);
  });
});
