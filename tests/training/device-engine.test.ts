import { afterAll, describe, expect, test } from 'vitest';
import type { ModelConfig } from '../../src/bert/config.js';
import { publishedAdam } from '../../src/training/engine/adam.js';
import { DeviceEngine } from '../../src/training/engine/device-engine.js';
import { Engine, type EngineSettings } from '../../src/training/engine/engine.js';
import { seededWeights } from '../bert/graph/seeded-model.js';
import { cut, seededBatch } from './seeded-batch.js';

const config: ModelConfig = {
  modelType: 'bert',
  layers: 3,
  hidden: 64,
  heads: 4,
  intermediate: 160,
  vocabulary: 300,
  maxPositions: 64,
  typeVocabulary: 2,
  labels: 2,
  layerNormEps: 1e-12,
  activation: 'gelu',
};
const settings: EngineSettings = {
  config,
  loss: 'pointwise',
  dropout: 0,
  seed: 1,
  adam: publishedAdam,
  device: 'cpu',
  threads: 1,
};
const lengths = [23, 17, 40, 9, 31, 40, 12, 28];
const targets = lengths.flatMap((_, i) => (i % 3 === 0 ? [0, 1 / 8] : [1 / 8, 0]));
const batch = seededBatch(lengths, config.vocabulary, targets, 2);
const open: { release(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((engine) => engine.release())));

async function both(more: Partial<EngineSettings> = {}): Promise<[Engine, DeviceEngine]> {
  const own = { ...settings, ...more };
  const weights = seededWeights(own.config);
  const engines = [
    await Engine.open(own, (name) => weights.get(name)),
    await DeviceEngine.open(own, (name) => weights.get(name)),
  ] as [Engine, DeviceEngine];
  open.push(...engines);
  return engines;
}

function norm(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}

describe('steps on a device', () => {
  test.each([
    ['fp32', 1e-5],
    ['fp16', 5e-2],
  ] as const)('of %s update weights as steps of the engine', async (precision, allowed) => {
    const [engine, device] = await both({ precision });
    const before = new Map([...device.parameters].map(([name, { values }]) => [name, values.slice()]));
    const steps = [1e-4, 5e-5, 2e-5].map((learningRate, i) => ({ learningRate, batches: cut(batch, [8, 4, 3][i]) }));
    const found = await device.steps(steps);
    for (const [i, { learningRate, batches }] of steps.entries()) {
      const { loss, gradientNorm } = await engine.step(batches, learningRate, i);
      console.log(found[i], loss, gradientNorm);
      expect(Math.abs(found[i].loss / loss - 1)).toBeLessThan(allowed);
      expect(Math.abs(found[i].gradientNorm / gradientNorm - 1)).toBeLessThan(allowed);
    }
    let worst = 0;
    for (const [name, { values }] of engine.parameters) {
      const start = before.get(name)!;
      const change = values.map((value, i) => value - start[i]);
      const own = device.parameters.get(name)!.values.map((value, i) => value - start[i]);
      if (name.endsWith('self.key.bias')) continue;
      worst = Math.max(worst, norm(change.map((value, i) => value - own[i])) / norm(change));
    }
    console.log(worst);
  });
});
