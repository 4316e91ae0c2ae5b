import { readFileSync } from 'node:fs';
import { Tensor } from 'onnxruntime-node';
import { afterAll, describe, expect, test } from 'vitest';
import type { ModelConfig } from '../../src/bert/config.js';
import { probabilities } from '../../src/bert/index.js';
import type { MaskSource } from '../../src/training/engine/dropout-masks.js';
import { type BertEngine, openBertEngine } from '../../src/training/engine/bert-engine.js';
import type { TrainingBatch } from '../../src/training/engine/micro-batch.js';
import { headOf, type LossKind, maskShape, trainingGraph } from '../../src/training/graph/index.js';
import { residualLoss } from '../../src/training/data/residual-loss.js';
import { noise, seededWeights } from '../bert/graph/seeded-model.js';
import { distance, normOf, type Summary } from '../support/projections.js';
import { distilledTargets } from '../../src/training/data/distilled-data.js';
import { cut, maskedBatch, seededBatch } from './seeded-batch.js';

interface Case {
  readonly config: Partial<ModelConfig>;
  readonly loss: LossKind | 'residual';
  readonly dropout: number;
  readonly optimiser?: 'muon';
  readonly targets?: readonly number[];
  readonly columns?: number;
  /** Of the residual loss: what is known before phase three is asked. */
  readonly group?: {
    readonly weights: readonly number[];
    readonly queryScores: readonly number[];
    readonly initial: readonly number[];
    readonly relevant: readonly boolean[];
    readonly alpha: number;
    readonly beta: number;
  };
  readonly losses: readonly number[];
  readonly norms: readonly number[];
  /** Of the first step, by tensor. */
  readonly gradients: Readonly<Record<string, Summary>>;
  /** The weights after each step, by tensor. */
  readonly changes: readonly Readonly<Record<string, Summary>>[];
}

interface Fixture {
  readonly lengths: readonly number[];
  readonly rates: readonly number[];
  readonly cases: Readonly<Record<string, Case>>;
}

/** PyTorch's results; see scripts/fixtures/training/steps.py. */
const fixture = JSON.parse(
  readFileSync(new URL('../fixtures/training/steps.json', import.meta.url), 'utf8'),
) as Fixture;

const engines: BertEngine[] = [];
afterAll(() => Promise.all(engines.map((engine) => engine.release())));

async function engineOf(one: Case): Promise<BertEngine> {
  const config = {
    modelType: 'bert',
    maxPositions: 512,
    typeVocabulary: 2,
    layerNormEps: 1e-12,
    ...one.config,
  } as ModelConfig;
  const { dropout } = one;
  const loss = one.loss === 'residual' ? 'given' : one.loss;
  const weights = seededWeights(config, headOf(loss));
  const settings = {
    config,
    loss,
    dropout,
    seed: 1,
    optimiser: one.optimiser,
    device: 'cpu',
    threads: 1,
  } as const;
  const engine = await openBertEngine(
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
        masks.map((mask) => {
          const { name } = mask;
          const dims = maskShape(mask, batch, sequence);
          const count = dims.reduce((product, dim) => product * dim, 1);
          const values = noise(name, count, (u) => (u + 0.5 >= rate ? 1 / (1 - rate) : 0));
          return [name, new Tensor('float32', values, dims)];
        }),
      ),
  };
}

/** The targets of two groups of four, by the fixture's rule, with the entropy that their loss leaves out. */
function distilled() {
  const logOdds = [...noise('log-odds', fixture.lengths.length, (u) => 8 * u)];
  return [0, 4].map((from) => distilledTargets(logOdds.slice(from, from + 4), 2));
}

const batchOf = ({ config, loss, targets = [], columns = 1 }: Case) => {
  const { lengths } = fixture;
  if (loss === 'masked') return maskedBatch(lengths, config.vocabulary!);
  if (loss !== 'distilled') return seededBatch(lengths, config.vocabulary!, targets, columns);
  const rows = distilled().flatMap(({ row }) => row);
  return seededBatch(lengths, config.vocabulary!, rows, rows.length / 2);
};

/** The loss of a step; gradients are then in the engine. The residual loss is computed from scores, as training does. */
async function differentiate(engine: BertEngine, one: Case, step: number): Promise<number> {
  const batch = batchOf(one);
  if (!one.group) {
    const least = one.loss === 'distilled' ? distilled().map(({ entropy }) => entropy) : [];
    return least.reduce((loss, entropy) => loss - entropy, await engine.differentiate([batch], step));
  }
  const { weights, queryScores, initial, relevant, alpha, beta } = one.group;
  const logits = await engine.score([batch], step);
  const { loss, gradient } = residualLoss(
    {
      chunks: weights.map((weight) => ({ text: '', weight })),
      examples: queryScores.map((queryScore, d) => ({
        document: '',
        passage: '',
        queryScore,
        initial: initial[d],
        relevant: relevant[d],
      })),
    },
    probabilities({ labels: one.config.labels!, values: logits }),
    { alpha, beta },
  );
  const given: TrainingBatch = { ...batch, targets: Float32Array.from(gradient) };
  await engine.differentiate([given], step);
  return loss;
}

/** Half of the distance between neighbouring single-precision numbers, relatively: what storing a weight can cost. */
const rounding = 2 ** -24;

describe.each(Object.entries(fixture.cases))('training steps of %s', (_, one) => {
  test('give the loss, every gradient and every weight that PyTorch gives', async () => {
    const engine = await engineOf(one);
    const before = new Map([...engine.parameters].map(([name, { values }]) => [name, values.slice()]));
    for (const [step, rate] of fixture.rates.entries()) {
      const loss = await differentiate(engine, one, step);
      expect(Math.abs(loss / one.losses[step] - 1)).toBeLessThan(1e-4);
      if (step === 0) {
        expect([...engine.parameters.keys()].sort()).toEqual(Object.keys(one.gradients).sort());
        for (const [name, { gradient }] of engine.parameters) {
          const expected = one.gradients[name];
          // Tensors whose true gradient is 0 (key biases) are held against all gradients.
          const size = Math.max(expected[0], 1e-3 * one.norms[0]);
          expect(distance(name, gradient, expected), `gradient of ${name}`).toBeLessThan(1e-4 * size);
        }
      }
      expect(Math.abs((await engine.apply(rate, step)) / one.norms[step] - 1)).toBeLessThan(1e-4);
      for (const [name, { values }] of engine.parameters) {
        const start = before.get(name)!;
        const change = values.map((value, i) => value - start[i]);
        const expected = one.changes[step][name];
        // If the true gradient is 0 (no group's loss depends on the classifier's bias, say), ε alone holds noise down.
        const isIdle = one.gradients[name][0] < 1e-9 * one.norms[0];
        const noisy = isIdle ? 2e-3 * rate * Math.sqrt(values.length) : 0;
        const allowed = 1e-4 * expected[0] + (step + 1) * rounding * normOf(values) + noisy;
        expect(distance(name, change, expected), `${name} after step ${step + 1}`).toBeLessThan(allowed);
      }
    }
  });
});

test('a projection sees a difference in a single element', () => {
  const values = noise('some tensor', 1000, (u) => u);
  const projections = Array.from({ length: 8 }, (_, k) => {
    const direction = noise(`projection ${k} of some tensor`, values.length, (u) => u);
    return values.reduce((sum, value, i) => sum + value * direction[i], 0);
  });
  expect(distance('some tensor', values, [normOf(values), ...projections])).toBe(0);
  values[617] += 0.01;
  const seen = distance('some tensor', values, [normOf(values), ...projections]);
  expect(seen).toBeGreaterThan(0.003);
  expect(seen).toBeLessThan(0.03);
});

test.each(['T', 'T, masked'])('micro-batches of %s add up to the batch', async (name) => {
  const one = fixture.cases[name];
  const engine = await engineOf(one);
  const whole = await engine.differentiate([batchOf(one)], 0);
  const expected = new Map([...engine.parameters].map(([name, { gradient }]) => [name, gradient.slice()]));
  for (const sequences of [1, 2, 4]) {
    expect(await engine.differentiate(cut(batchOf(one), sequences), 0)).toBeCloseTo(whole, 5);
    for (const [name, { gradient }] of engine.parameters) {
      const wanted = expected.get(name)!;
      const difference = gradient.map((value, i) => value - wanted[i]);
      expect(normOf(difference), name).toBeLessThan(2e-5 * normOf(wanted) + 1e-6);
    }
  }
});
