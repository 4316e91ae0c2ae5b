import { readFileSync } from 'node:fs';
import { Tensor } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';
import type { ModelConfig } from '../../src/bert/config.js';
import { publishedAdam } from '../../src/training/engine/adam.js';
import type { MaskSource } from '../../src/training/engine/dropout-masks.js';
import { Engine } from '../../src/training/engine/engine.js';
import { trainingGraph, type LossKind } from '../../src/training/graph/index.js';
import { noise, seededWeights } from '../bert/graph/seeded-model.js';
import { cut, seededBatch } from './seeded-batch.js';

interface Case {
  readonly config: Partial<ModelConfig>;
  readonly loss: LossKind;
  readonly dropout: number;
  readonly targets: readonly number[];
  readonly columns: number;
  readonly losses: readonly number[];
  readonly norms: readonly number[];
  /** Norm, then a few elements. */
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly changes: Readonly<Record<string, readonly number[]>>;
}

interface Fixture {
  readonly lengths: readonly number[];
  readonly rates: readonly number[];
  readonly cases: Readonly<Record<string, Case>>;
}

/** What PyTorch gives; see scripts/fixtures/training/steps.py. */
const fixture = JSON.parse(
  readFileSync(new URL('../fixtures/training/steps.json', import.meta.url), 'utf8'),
) as Fixture;

const engines: Engine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.release())));

async function engineOf(one: Case): Promise<Engine> {
  const config = {
    modelType: 'bert',
    maxPositions: 512,
    typeVocabulary: 2,
    layerNormEps: 1e-12,
    ...one.config,
  } as ModelConfig;
  const { loss, dropout } = one;
  const weights = seededWeights(config);
  const settings = { config, loss, dropout, seed: 1, adam: publishedAdam, threads: 1 };
  const engine = await Engine.open(
    settings,
    (name) => weights.get(name),
    fixtureMasks(config, loss, dropout),
  );
  engines.push(engine);
  return engine;
}

/** The masks that the fixture was made with: like weights, they follow from names and places. */
function fixtureMasks(config: ModelConfig, loss: LossKind, rate: number): MaskSource {
  const { masks } = trainingGraph(config, loss, { dropout: rate > 0 });
  return {
    fill: (batch, sequence) =>
      Object.fromEntries(
        masks.map(({ name, shape }) => {
          const dims = shape(batch, sequence);
          const count = dims.reduce((product, dim) => product * dim, 1);
          const values = noise(name, count, (u) => (u + 0.5 >= rate ? 1 / (1 - rate) : 0));
          return [name, new Tensor('float32', values, dims)];
        }),
      ),
  };
}

const batchOf = ({ config, targets, columns }: Case) =>
  seededBatch(fixture.lengths, config.vocabulary!, targets, columns);

/** As scripts/fixtures/training/steps.py takes them. */
function summary(values: Float32Array): number[] {
  const places = [0, 1, 2, 3].map((i) => Math.round((i * (values.length - 1)) / 3));
  return [
    Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)),
    ...places.map((at) => values[at]),
  ];
}

/** Within 1e-4 of the tensor's own size; tensors whose true gradient is 0 (key biases) against all gradients. */
function expectClose(
  found: readonly number[],
  expected: readonly number[],
  count: number,
  floor: number,
  name: string,
): void {
  const [norm, ...elements] = expected;
  const tolerance = 1e-4 * Math.max(norm, floor);
  expect(Math.abs(found[0] - norm), `${name}, norm`).toBeLessThanOrEqual(tolerance);
  elements.forEach((value, i) => {
    const typical = Math.max(norm, floor) / Math.sqrt(count);
    const allowed = 1e-4 * Math.max(Math.abs(value), 10 * typical);
    expect(Math.abs(found[i + 1] - value), `${name}, sample ${i}`).toBeLessThanOrEqual(allowed);
  });
}

describe.each(Object.entries(fixture.cases))('training steps of %s', (_, one) => {
  test('give the loss, the gradients and the weights that PyTorch gives', async () => {
    const engine = await engineOf(one);
    const before = new Map([...engine.parameters].map(([name, { values }]) => [name, values.slice()]));
    for (const [step, rate] of fixture.rates.entries()) {
      const loss = await engine.differentiate([batchOf(one)], step);
      expect(Math.abs(loss / one.losses[step] - 1)).toBeLessThan(1e-4);
      if (step === 0) {
        for (const [name, { gradient }] of engine.parameters) {
          expectClose(summary(gradient), one.gradients[name], gradient.length, 1e-3 * one.norms[0], name);
        }
      }
      expect(Math.abs(engine.apply(rate) / one.norms[step] - 1)).toBeLessThan(1e-4);
    }
    expect([...engine.parameters.keys()].sort()).toEqual(Object.keys(one.changes).sort());
    for (const [name, { values }] of engine.parameters) {
      const start = before.get(name)!;
      const change = values.map((value, i) => value - start[i]);
      const [, ...elements] = one.changes[name];
      // Every weight within 1e-4 of itself, and its change within what single precision leaves of it.
      summary(change)
        .slice(1)
        .forEach((value, i) => {
          const weight = Math.abs(summary(start)[i + 1]);
          expect(Math.abs(value - elements[i]), `${name}, sample ${i}`).toBeLessThan(
            1e-4 * Math.abs(elements[i]) + 1e-7 * (1 + weight),
          );
        });
    }
  });
});

test('micro-batches add up to the batch', async () => {
  const one = fixture.cases['T'];
  const engine = await engineOf(one);
  const whole = await engine.differentiate([batchOf(one)], 0);
  const expected = new Map([...engine.parameters].map(([name, { gradient }]) => [name, gradient.slice()]));
  for (const sequences of [1, 2, 4]) {
    expect(await engine.differentiate(cut(batchOf(one), sequences), 0)).toBeCloseTo(whole, 5);
    for (const [name, { gradient }] of engine.parameters) {
      const wanted = expected.get(name)!;
      const norm = summary(wanted)[0];
      const difference = gradient.map((value, i) => value - wanted[i]);
      expect(summary(difference)[0], name).toBeLessThan(2e-5 * norm + 1e-6);
    }
  }
});
