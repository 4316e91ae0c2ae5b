import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pairBatch, textBatch } from '../../../src/controls/snrm/batches.js';
import {
  representationGraph,
  type SnrmSizes,
  snrmShapes,
  trainingGraph,
} from '../../../src/controls/snrm/graph.js';
import type { NetworkEngine } from '../../../src/training/engine/network-engine.js';
import {
  expectChanges,
  expectGradients,
  type FixtureSteps,
  seededNetwork,
} from '../../support/network-parity.js';

interface Fixture extends FixtureSteps {
  readonly sizes: SnrmSizes;
  readonly rate: number;
  readonly epsilon: number;
  readonly penalty: number;
  /** Texts in words. */
  readonly texts: readonly (readonly number[])[];
  /** A query, a relevant and another document. */
  readonly pairs: readonly (readonly [number, number, number])[];
  readonly vectors: readonly (readonly number[])[];
}

/** PyTorch's results; see scripts/fixtures/controls/snrm.py. */
const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/controls/snrm.json', import.meta.url), 'utf8'),
) as Fixture;
const { sizes, texts, penalty } = fixture;

let engine: NetworkEngine;
beforeAll(async () => {
  const [shapes, scoring, training] = [snrmShapes(sizes), representationGraph(sizes), trainingGraph(sizes)];
  engine = await seededNetwork(shapes, scoring, training, fixture.epsilon, (name) =>
    name === 'words.weight' ? { rowGradient: 'gradient of window words' } : {},
  );
});
afterAll(() => engine.release());

describe('SNRM', () => {
  test('represents texts as PyTorch does, one by one and together', async () => {
    for (const batches of [[textBatch(texts)], texts.map((text) => textBatch([text]))]) {
      const values = await engine.score(batches);
      expect(values).toHaveLength(texts.length * sizes.latent);
      fixture.vectors.flat().forEach((expected, i) => {
        expect(Math.abs(values[i] - expected)).toBeLessThan(1e-5);
        // What is not active is 0 exactly, and in no postings.
        expect(values[i] === 0).toBe(expected === 0);
      });
    }
  });

  test('has the gradients and makes the steps that PyTorch makes', async () => {
    const before = new Map([...engine.parameters].map(([name, { values }]) => [name, values.slice()]));
    const pairs = fixture.pairs.map(([q, r, o]) => ({
      query: texts[q],
      relevant: texts[r],
      other: texts[o],
    }));
    const weight = 1 / pairs.length;
    // In two parts, as a training divides a step.
    const batches = [pairs.slice(0, 3), pairs.slice(3)].map((some) =>
      pairBatch(some, weight, penalty * weight),
    );
    expect(await engine.differentiate(batches, 0)).toBeCloseTo(fixture.losses[0], 5);
    expectGradients(engine, fixture);
    for (const step of [0, 1]) {
      const { loss } = await engine.step({ number: step, learningRate: fixture.rate, batches: batches });
      expect(loss).toBeCloseTo(fixture.losses[step], 5);
      expectChanges(engine, before, fixture, step);
    }
  });
});
