import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelConfig, Tokenizer } from '../../../src/bert/index.js';
import { cedrBatch, type TokenPair, tokenPair } from '../../../src/controls/cedr/batches.js';
import { batchesOf } from '../../../src/controls/cedr/cedr.js';
import { cedrShapes, scoringGraph, trainingGraph } from '../../../src/controls/cedr/graph.js';
import type { NetworkEngine } from '../../../src/training/engine/network-engine.js';
import { isTable, TOKEN_GRADIENTS } from '../../../src/training/network/index.js';
import {
  expectChanges,
  expectGradients,
  type FixtureSteps,
  seededNetwork,
} from '../../support/network-parity.js';

interface Fixture extends FixtureSteps {
  readonly config: Partial<ModelConfig>;
  readonly maxLength: number;
  /** Learning rates of BERT and of the linear layer. */
  readonly rates: readonly [number, number];
  readonly epsilon: number;
  readonly pairs: readonly (readonly [query: readonly number[], document: readonly number[]])[];
  readonly scores: readonly number[];
}

/** PyTorch's results; see scripts/fixtures/controls/cedr.py. */
const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/controls/cedr.json', import.meta.url), 'utf8'),
) as Fixture;

const config = {
  modelType: 'bert',
  typeVocabulary: 2,
  layerNormEps: 1e-12,
  activation: 'gelu',
  labels: 2,
  ...fixture.config,
} as ModelConfig;

const tokenizer = {
  template: { before: [2], between: [3], after: [3], secondSegment: 1, pad: 0 },
} as unknown as Tokenizer;

const pairs: TokenPair[] = fixture.pairs.map(([query, document]) =>
  tokenPair(tokenizer, Int32Array.from(query), Int32Array.from(document), {
    queryTokens: 20,
    documentTokens: 800,
    maxLength: fixture.maxLength,
  }),
);

const [bertRate, headRate] = fixture.rates;
let engine: NetworkEngine;
beforeAll(async () => {
  const { graph } = trainingGraph(config, { dropout: false });
  engine = await seededNetwork(cedrShapes(config), scoringGraph(config), graph, fixture.epsilon, (name) => ({
    ...(isTable(name) && { rowGradient: TOKEN_GRADIENTS }),
    ...(name.startsWith('combine.') && { rate: headRate / bertRate }),
  }));
});
afterAll(() => engine.release());

/** The batches of the fixture's pairs, so many pairs of documents at a time. */
const trainingBatches = (size: number) =>
  Array.from({ length: pairs.length / (2 * size) }, (_, i) =>
    cedrBatch(
      tokenizer,
      pairs.slice(2 * size * i, 2 * size * (i + 1)),
      Float32Array.from({ length: 2 * size }, (_, at) => (at % 2 === 0 ? 2 / pairs.length : 0)),
    ),
  );

describe('CEDR-KNRM', () => {
  test('scores documents as PyTorch does, in whatever batches', async () => {
    for (const batches of [
      [cedrBatch(tokenizer, pairs)],
      pairs.map((pair) => cedrBatch(tokenizer, [pair])),
    ]) {
      const scores = await engine.score(batches);
      scores.forEach((score, i) => {
        expect(Math.abs(score - fixture.scores[i]), `pair ${i}`).toBeLessThan(
          1e-5 * Math.max(1, Math.abs(fixture.scores[i])),
        );
      });
    }
    const { batches, places } = batchesOf(tokenizer, pairs);
    const sorted = await engine.score(batches);
    expect(places.toSorted((a, b) => a - b)).toEqual(pairs.map((_, i) => i));
    places.forEach((place, i) => expect(sorted[i]).toBeCloseTo(fixture.scores[place], 3));
  });

  test('has the gradients and makes the steps that PyTorch makes, in whatever micro-batches', async () => {
    const before = new Map([...engine.parameters].map(([name, { values }]) => [name, values.slice()]));
    for (const size of [4, 2, 1]) {
      const loss = await engine.differentiate(trainingBatches(size), 0);
      expect(Math.abs(loss / fixture.losses[0] - 1)).toBeLessThan(1e-5);
      expectGradients(engine, fixture);
    }
    for (const step of [0, 1]) {
      const { loss } = await engine.step({
        number: step,
        learningRate: bertRate,
        batches: trainingBatches(2),
      });
      expect(Math.abs(loss / fixture.losses[step] - 1)).toBeLessThan(1e-5);
      expectChanges(engine, before, fixture, step);
    }
  });
});

test('a document is divided into as few pieces of equal length as fit', () => {
  const query = new Int32Array(5);
  const cut = (length: number): number[] =>
    tokenPair(tokenizer, query, new Int32Array(length), {
      queryTokens: 20,
      documentTokens: 800,
      maxLength: 40,
    }).pieces.map((piece) => piece.length);
  expect(cut(0)).toEqual([0]);
  expect(cut(32)).toEqual([32]);
  expect(cut(33)).toEqual([17, 16]);
  expect(cut(97)).toEqual([25, 25, 25, 22]);
});
