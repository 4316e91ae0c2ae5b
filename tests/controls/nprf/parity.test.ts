import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  binOf,
  feedbackQueries,
  joined,
  QueryFeatures,
  termCounts,
  type TermCounts,
} from '../../../src/controls/nprf/features.js';
import { nprfBatch, nprfShapes, scoringGraph, trainingGraph } from '../../../src/controls/nprf/graph.js';
import type { Vocabulary } from '../../../src/controls/words/vocabulary.js';
import type { NetworkEngine } from '../../../src/training/engine/network-engine.js';
import { noise } from '../../bert/graph/seeded-model.js';
import {
  expectChanges,
  expectGradients,
  type FixtureSteps,
  seededNetwork,
} from '../../support/network-parity.js';

interface Fixture extends FixtureSteps {
  readonly dimensions: number;
  readonly documents: number;
  /** Document frequencies by term. */
  readonly vocabulary: Readonly<Record<string, number>>;
  readonly withoutVector: readonly string[];
  readonly rate: number;
  readonly epsilon: number;
  /** Documents of the first query: a relevant and another one. */
  readonly pairs: readonly (readonly [number, number])[];
  readonly queries: readonly { readonly documents: readonly string[]; readonly initial: readonly number[] }[];
  /** The terms of the first query's feedback documents. */
  readonly feedback: readonly (readonly string[])[];
  readonly scores: readonly (readonly number[])[];
}

/** PyTorch's results; see scripts/fixtures/controls/nprf.py. */
const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/controls/nprf.json', import.meta.url), 'utf8'),
) as Fixture;

const terms = Object.keys(fixture.vocabulary);
const vocabulary = {
  analyzer: { analyze: (text: string) => text.split(' ').filter((word) => word !== '') },
  documents: fixture.documents,
  numbers: new Map(terms.map((term, number) => [term, number])),
  documentFrequencies: Object.values(fixture.vocabulary),
  dimensions: fixture.dimensions,
  vectors: Float32Array.from(
    terms.flatMap((term) => {
      if (fixture.withoutVector.includes(term)) return Array.from({ length: fixture.dimensions }, () => 0);
      const values = [...noise(`vector of ${term}`, fixture.dimensions, (u) => u)];
      const length = Math.hypot(...values);
      return values.map((value) => value / length);
    }),
  ),
} as unknown as Vocabulary;

const queries = fixture.queries.map(({ documents, initial }) => {
  const ranked = documents.map((text, i) => ({
    counts: termCounts(vocabulary, { text }),
    score: initial[i],
  }));
  const feedback = feedbackQueries(vocabulary, ranked);
  return { ranked, feedback, features: new QueryFeatures(vocabulary, feedback) };
});
const countsOf = (query: number): TermCounts[] => queries[query].ranked.map(({ counts }) => counts);

let engine: NetworkEngine;
beforeAll(async () => {
  engine = await seededNetwork(nprfShapes, scoringGraph(), trainingGraph(), fixture.epsilon);
});
afterAll(() => engine.release());

describe('NPRF-DRMM', () => {
  test('takes the terms of feedback documents that PyTorch takes', () => {
    expect(queries[0].feedback.map((one) => one.terms)).toEqual(fixture.feedback);
  });

  test('scores documents as PyTorch does, one by one and together', async () => {
    for (const [query, expected] of fixture.scores.entries()) {
      const { features } = queries[query];
      const counts = countsOf(query);
      for (const batches of [
        [nprfBatch(features.of(counts))],
        counts.map((one) => nprfBatch(features.of([one]))),
      ]) {
        const scores = await engine.score(batches);
        expect(scores).toHaveLength(expected.length);
        scores.forEach((score, i) => expect(Math.abs(score - expected[i])).toBeLessThan(1e-5));
      }
    }
  });

  test('has the gradients and makes the steps that PyTorch makes', async () => {
    const before = new Map([...engine.parameters].map(([name, { values }]) => [name, values.slice()]));
    const { features } = queries[0];
    const [counts] = [countsOf(0)];
    const parts = fixture.pairs.flat().map((document) => features.of([counts[document]]));
    const targets = new Float32Array(fixture.pairs.length).fill(1 / fixture.pairs.length);
    const batch = nprfBatch(joined(parts), targets);
    expect(await engine.differentiate([batch], 0)).toBeCloseTo(fixture.losses[0], 5);
    expectGradients(engine, fixture);
    for (const step of [0, 1]) {
      const { loss } = await engine.step({ number: step, learningRate: fixture.rate, batches: [batch] });
      expect(loss).toBeCloseTo(fixture.losses[step], 5);
      expectChanges(engine, before, fixture, step);
    }
  });
});

test('cosines of different terms have bins of equal width, and none has the last', () => {
  expect([-1.0000001, -1, -0.99, -0.0001, 0, 0.5, 0.999, 1, 1.0000001].map(binOf)).toEqual([
    0, 0, 0, 14, 14, 21, 28, 28, 28,
  ]);
});
