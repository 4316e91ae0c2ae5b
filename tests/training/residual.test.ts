import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { combine, expansionScore, interpolate } from '../../src/expansion/index.js';
import { openBertEngine } from '../../src/training/engine/bert-engine.js';
import { drawGroup, type ResidualQuery, residualQueries } from '../../src/training/data/residual-data.js';
import { trainModel } from '../../src/training/index.js';
import { residualLoss, type ResidualGroup } from '../../src/training/data/residual-loss.js';
import { trainingSettings } from '../../src/training/settings.js';
import { miniConfig } from '../bert/scorer/mini-model.js';
import { seededWeights } from '../bert/graph/seeded-model.js';
import { temporaryFolder } from '../support/folders.js';
import { cut, seededBatch } from './seeded-batch.js';
import { merged, toyCollection, toyModel } from './toy-task.js';

const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const example = fc.record({
  document: fc.constant('d'),
  passage: fc.constant('p'),
  queryScore: share,
  initial: fc.double({ min: -5, max: 20, noNaN: true }),
});

/** Groups of some chunks and documents, the first of them relevant, with log-odds for every pair. */
const groups = fc
  .record({ chunks: fc.integer({ min: 1, max: 4 }), relevant: fc.integer({ min: 1, max: 3 }) })
  .chain(({ chunks, relevant }) =>
    fc.array(example, { minLength: relevant + 1, maxLength: 8 }).chain((examples) =>
      fc.record({
        group: fc.array(share, { minLength: chunks, maxLength: chunks }).map((weights): ResidualGroup => ({
          chunks: weights.map((weight) => ({ text: 'c', weight })),
          examples: examples.map((one, d) => ({ ...one, relevant: d < relevant })),
        })),
        logOdds: fc.array(fc.double({ min: -6, max: 6, noNaN: true }), {
          minLength: chunks * examples.length,
          maxLength: chunks * examples.length,
        }),
        combination: fc.record({ alpha: share, beta: share }),
      }),
    ),
  );

const sigmoids = (logOdds: readonly number[]): number[] => logOdds.map((z) => 1 / (1 + Math.exp(-z)));

describe('the residual loss', () => {
  test('is the cross-entropy of the final score, averaged over the relevant', () => {
    fc.assert(
      fc.property(groups, ({ group, logOdds, combination }) => {
        const scores = sigmoids(logOdds);
        const { examples, chunks } = group;
        const powers = examples.map(({ queryScore, initial }, d) => {
          const own = chunks.map((_, chunk) => scores[chunk * examples.length + d]);
          const expansion = expansionScore(
            chunks.map(({ weight }) => weight),
            own,
          );
          return Math.exp(
            interpolate(combine(queryScore, expansion, combination.alpha), initial, combination.beta),
          );
        });
        const total = powers.reduce((sum, power) => sum + power, 0);
        const wanted = powers.filter((_, d) => examples[d].relevant).map((power) => Math.log(power / total));
        const expected = -wanted.reduce((sum, value) => sum + value, 0) / wanted.length;
        expect(residualLoss(group, scores, combination).loss).toBeCloseTo(expected, 9);
      }),
    );
  });

  test('has the gradient that differences show', () => {
    fc.assert(
      fc.property(groups, ({ group, logOdds, combination }) => {
        const at = (z: readonly number[]) => residualLoss(group, sigmoids(z), combination);
        const { gradient } = at(logOdds);
        const step = 1e-4;
        logOdds.forEach((z, i) => {
          const moved = (by: number) => at(logOdds.with(i, z + by)).loss;
          const difference = (moved(step) - moved(-step)) / (2 * step);
          expect(Math.abs(gradient[i] - difference)).toBeLessThan(1e-7 + 1e-5 * Math.abs(difference));
        });
      }),
    );
  });

  test('stays a number where every score is 0', () => {
    const group = {
      chunks: [{ text: 'c', weight: 1 }],
      examples: [true, false].map((relevant) => ({
        document: 'd',
        passage: 'p',
        relevant,
        queryScore: 0,
        initial: 1,
      })),
    };
    const { loss, gradient } = residualLoss(group, [0, 0], { alpha: 0.3, beta: 0.95 });
    expect(loss).toBeCloseTo(Math.log(2), 12);
    expect([...gradient]).toEqual([0, 0]);
  });
});

/** So many candidates, in the order of phase one. */
function queryOf(count: number, isRelevant: (place: number) => boolean): ResidualQuery {
  return {
    query: { id: 'q', text: 'x' },
    chunks: [{ text: 'c', weight: 1 }],
    examples: Array.from({ length: count }, (_, place) => ({
      document: String(place),
      passage: 'p',
      relevant: isRelevant(place),
      queryScore: 1 - place / count,
      initial: 1,
    })),
  };
}

describe('a group of the residual loss', () => {
  const settings = trainingSettings({ loss: 'residual' });

  test('holds up to half relevant ones; of the others half are the hardest', () => {
    const many = queryOf(200, (place) => place % 5 === 0);
    const { examples } = drawGroup(many, 0, settings);
    expect(new Set(examples).size).toBe(24);
    const others = examples.filter(({ relevant }) => !relevant);
    expect(others).toHaveLength(12);
    // Thirty others lie among the first 38.
    expect(others.filter(({ document }) => Number(document) < 38).length).toBeGreaterThanOrEqual(6);
    const few = drawGroup(
      queryOf(200, (place) => place === 150),
      0,
      settings,
    ).examples;
    expect([few.length, few.filter(({ relevant }) => relevant).length]).toEqual([24, 1]);
    expect(few.filter(({ document }) => Number(document) < 30).length).toBeGreaterThanOrEqual(11);
  });

  test('takes all there are where there are few', () => {
    const { examples } = drawGroup(
      queryOf(7, (place) => place < 2),
      0,
      settings,
    );
    expect(examples.map(({ document }) => document).toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  test('is drawn anew in every epoch, and the same for the same seed', () => {
    const query = queryOf(200, (place) => place % 5 === 0);
    const drawn = (epoch: number, seed = 1) =>
      drawGroup(query, epoch, { ...settings, seed }).examples.map(({ document }) => document);
    expect(drawn(3)).toEqual(drawn(3));
    expect(drawn(3)).not.toEqual(drawn(4));
    expect(drawn(3)).not.toEqual(drawn(3, 2));
  });

  test('is made of what phases one and two found, best of phase one first', () => {
    const documents = [0.2, 0.9, 0.5, 0.7].map((queryScore, i) => ({
      document: `d${i}`,
      passage: i === 3 ? '' : `passage ${i}`,
      queryScore,
      initial: 10 - i,
    }));
    const feedback = { chunks: [{ text: 'chunk', weight: 1 }], documents };
    const gathered = [{ query: { id: '1', text: 'x' }, feedback }];
    const judged = new Map([['1', new Map([['d2', 2]])]]);
    const [{ examples, chunks }] = residualQueries(gathered, judged, settings);
    expect(chunks).toEqual(feedback.chunks);
    expect(examples).toEqual([
      { document: 'd1', passage: 'passage 1', relevant: false, queryScore: 0.9, initial: 9 },
      { document: 'd2', passage: 'passage 2', relevant: true, queryScore: 0.5, initial: 8 },
      { document: 'd0', passage: 'passage 0', relevant: false, queryScore: 0.2, initial: 10 },
    ]);
    const [shallow] = residualQueries(gathered, judged, { depth: 1 });
    expect(shallow.examples.map(({ document }) => document)).toEqual(['d0']);
  });
});

/** Of models with two labels. */
function sum(logits: Float32Array): number {
  return logits.reduce((total, value, i) => total + (i % 2 === 1 ? value : -value), 0);
}

test('scores of a step drop what the step drops', async () => {
  const weights = seededWeights(miniConfig);
  const engine = await openBertEngine(
    {
      config: miniConfig,
      loss: 'given',
      dropout: 0.5,
      seed: 1,
      device: 'cpu',
      threads: 1,
    },
    (name) => weights.get(name),
  );
  const lengths = [9, 14, 11, 14];
  const batches = cut(seededBatch(lengths, miniConfig.vocabulary, [1, 1, 1, 1], 1), 2);
  // With gradients of 1, what the graph adds up is the log-odds themselves.
  for (const step of [0, 7]) {
    expect(await engine.differentiate(batches, step)).toBeCloseTo(sum(await engine.score(batches, step)), 5);
  }
  const [plain, dropped, other] = [
    await engine.score(batches),
    await engine.score(batches, 0),
    await engine.score(batches, 7),
  ];
  expect(sum(dropped)).not.toBeCloseTo(sum(plain), 3);
  expect(sum(dropped)).not.toBeCloseTo(sum(other), 3);
  await engine.release();
});

describe('a training by the residual loss', { timeout: 300_000 }, () => {
  const folder = temporaryFolder();
  const [training, validation] = [toyCollection('training', 400), toyCollection('validation', 24)];
  /** Phase one knows nothing, and chunks are whole documents that name the thing: all is left to phase three. */
  const blind = { score: async (pairs: readonly unknown[]) => new Float32Array(pairs.length).fill(0.5) };

  async function train(
    out: string,
    changed: { steps?: number; batchTokens?: number; dropout?: number } = {},
  ) {
    const model = await toyModel(join(folder, 'base'), 'classifier');
    const { run, qrels, documents } = merged(training, validation);
    // By phase one alone all are alike: the relevant ones first, so that chunks come from them.
    const ranked = new Map(
      [...run].map(([query, ranking]) => [
        query,
        ranking
          .toSorted((a, b) => (qrels.get(query)!.get(b.id) ?? 0) - (qrels.get(query)!.get(a.id) ?? 0))
          .map(({ id }, i) => ({ id, score: 1 - i * 1e-6 })),
      ]),
    );
    return trainModel(
      {
        model,
        phaseThree: {
          phaseOne: model,
          phaseTwo: model,
          kd: 2,
          kc: 2,
          chunkWords: 2,
          depth: 8,
          combination: { alpha: 0.9, beta: 0.95 },
        },
        queries: training.queries,
        validationQueries: validation.queries,
        qrels,
        run: ranked,
        documents,
        documentsKey: 'toy',
      },
      {
        loss: 'residual',
        groupSize: 8,
        batch: 64,
        steps: 300,
        maxLength: 24,
        learningRate: 3e-4,
        lossAlpha: 0.9,
        dropout: 0,
        ...changed,
      },
      { out: join(folder, out), openScorer: () => ({ ...blind, close: async () => undefined }) },
    );
  }

  test('learns what phase one does not know', async () => {
    const { examples, history, configuration, best } = await train('learned');
    expect(configuration).toMatchObject({ loss: 'residual', lossAlpha: 0.9, lossBeta: 0.95, on: 'chunks' });
    // Pairs: 400 queries of two chunks, each against two relevant candidates and six others.
    expect(examples).toEqual({ queries: 400, relevant: 400 * 2 * 2, others: 400 * 2 * 6 });
    // On queries that were not trained on: at first as by chance.
    expect(history.validations[0].value).toBeLessThan(0.66);
    expect(best!.value).toBeGreaterThan(0.74);
  });

  test('gives the same weights whatever the portions, with dropout too', async () => {
    const [one, other] = [
      await train('portions-a', { steps: 3 }),
      await train('portions-b', { steps: 3, batchTokens: 100 }),
    ];
    one.history.steps.forEach(({ loss }, i) => expect(other.history.steps[i].loss).toBeCloseTo(loss, 4));
    const again = [
      await train('dropout-a', { steps: 3, dropout: 0.1 }),
      await train('dropout-b', { steps: 3, dropout: 0.1 }),
    ];
    expect(again[0].weights).toBe(again[1].weights);
    expect(again[0].weights).not.toBe(one.weights);
  });
});
