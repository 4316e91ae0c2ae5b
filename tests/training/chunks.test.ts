import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Scorer, TextPair } from '../../src/bert/index.js';
import type { Document, DocumentStore, Qrels, Query, Run } from '../../src/collection/index.js';
import { BertQE, expansionScore } from '../../src/expansion/index.js';
import { chunkExamples, collectFeedback, type Feedback } from '../../src/training/examples/feedback.js';
import { openExampleJournal } from '../../src/training/examples/journal.js';
import { trainModel } from '../../src/training/index.js';
import { trainingSettings } from '../../src/training/settings.js';
import { rankedByChunks } from '../../src/training/validation.js';
import { overlap } from '../experiment/fake-model.js';
import { temporaryFolder } from '../support/folders.js';
import { merged, toyCollection, toyModel } from './toy-task.js';

const folder = temporaryFolder();

function scorer(salt: string, asked: TextPair[] = []): Scorer {
  return {
    score: async (pairs) => {
      asked.push(...pairs);
      return Float32Array.from(pairs, (pair) => overlap(pair, salt));
    },
    close: async () => undefined,
  };
}

const words = ['bridge', 'sway', 'wind', 'cable', 'deck', 'tower', 'river', 'stone', 'arch', 'truss'];

/** Documents of thirty words or so, of several passages each; the last one has none. */
const texts = new Map(
  Array.from({ length: 12 }, (_, d): [string, string] => [
    `d${d}`,
    d === 11
      ? ''
      : Array.from({ length: 30 + d }, (_, i) => words[(i * (d + 1) + (i >> 2)) % words.length]).join(' '),
  ]),
);
const documents: DocumentStore = {
  get: async (ids) => new Map(ids.map((id): [string, Document] => [id, { id, text: texts.get(id)! }])),
};
const queries: Query[] = [
  { id: '1', text: 'bridge sway wind' },
  { id: '2', text: 'stone arch' },
];
const run: Run = new Map(
  queries.map(({ id }) => [
    id,
    [...texts.keys()].map((document, i) => ({ id: document, score: 20 - i * (id === '1' ? 1 : 0.5) })),
  ]),
);
const qrels: Qrels = new Map([
  [
    '1',
    new Map([
      ['d2', 1],
      ['d5', 2],
      ['d7', 0],
    ]),
  ],
  ['2', new Map([['d3', 1]])],
]);

const method = { kd: 3, kc: 3, chunkWords: 6, passageWords: 12, titleWords: 0, depth: 12 };
const models = { bestPassage: scorer('general'), phaseOne: scorer('one'), phaseTwo: scorer('phase two') };

let journals = 0;

async function feedbackOf(some: readonly Query[] = queries) {
  const journal = await openExampleJournal<Feedback>(join(folder, `feedback-${journals++}.jsonl`), 'key');
  try {
    return await collectFeedback(some, run, method, journal, { documents, ...models }, () => undefined);
  } finally {
    await journal.close();
  }
}

async function reranked(query: Query, combination = { alpha: 0.3, beta: 0.8 }) {
  const bertQe = new BertQE({ ...models, phaseThree: scorer('three') }, { ...method, ...combination });
  const candidates = run.get(query.id)!.map(({ id, score }) => ({ id, score, text: texts.get(id)! }));
  return bertQe.rerank(query.text, candidates, { explain: true });
}

describe('what phase three learns from', () => {
  test('are the chunks and best passages that re-ranking uses', async () => {
    for (const { query, feedback } of await feedbackOf()) {
      const { explanation } = await reranked(query);
      expect(feedback.chunks).toEqual(explanation!.chunks.map(({ text, weight }) => ({ text, weight })));
      expect(feedback.chunks).toHaveLength(3);
      const byId = new Map(explanation!.documents.map((one) => [one.id, one]));
      expect(feedback.documents.map(({ document }) => document)).toEqual([...texts.keys()]);
      for (const { document, passage, queryScore, initial } of feedback.documents) {
        expect(byId.get(document)).toMatchObject({ passage, queryScore, initial });
      }
    }
  });

  test('has the label of the query, whichever chunk stands for it', async () => {
    const examples = await chunkExamples(await feedbackOf(), qrels, trainingSettings());
    expect(examples.map(({ query }) => query.id)).toEqual(['1', '1', '1', '2', '2', '2']);
    for (const { query, chunk, examples: all } of examples) {
      expect(chunk!.split(' ').length).toBeGreaterThanOrEqual(6);
      expect(chunk).not.toBe(query.text);
      // All but the document without words.
      expect(all.map(({ document }) => document)).toEqual([...texts.keys()].slice(0, 11));
      const relevant = all.filter((one) => one.relevant).map(({ document }) => document);
      expect(relevant).toEqual(query.id === '1' ? ['d2', 'd5'] : ['d3']);
    }
  });

  test('is sampled as queries are, for every chunk anew', async () => {
    const settings = trainingSettings({ negatives: 2, depth: 9 });
    const sampled = await chunkExamples(await feedbackOf(), qrels, settings);
    for (const { query, examples } of sampled) {
      expect(examples.filter(({ relevant }) => !relevant)).toHaveLength(query.id === '1' ? 4 : 2);
      expect(examples.every(({ document }) => Number(document.slice(1)) < 9)).toBe(true);
    }
    const others = sampled.slice(0, 3).map(({ examples }) => examples.map(({ document }) => document).join());
    expect(new Set(others).size).toBeGreaterThan(1);
    expect(await chunkExamples(await feedbackOf(), qrels, settings)).toEqual(sampled);
  });

  test('is nothing where no candidate is judged relevant', async () => {
    const without = new Map([...qrels].filter(([query]) => query === '1'));
    const examples = await chunkExamples(await feedbackOf(), without, trainingSettings());
    expect(examples.slice(3).flatMap((one) => one.examples.filter(({ relevant }) => relevant))).toEqual([]);
  });

  test('carries what a teacher says of chunk and passage', async () => {
    const asked: TextPair[] = [];
    const [first] = await chunkExamples(
      await feedbackOf(),
      qrels,
      trainingSettings(),
      scorer('teacher', asked),
    );
    for (const { passage, teacher } of first.examples) {
      expect(teacher).toBe(overlap({ a: first.chunk!, b: passage }, 'teacher'));
    }
    expect(asked.some(({ a }) => queries.some(({ text }) => text === a))).toBe(false);
  });
});

/** Phase three's scores of the pairs. */
function scoresOf(pairings: readonly { first: string; passages: readonly string[] }[]): Float32Array {
  return Float32Array.from(
    pairings.flatMap(({ first, passages }) => passages.map((b) => overlap({ a: first, b }, 'three'))),
  );
}

describe('validation queries of phase three', () => {
  test('are ranked by the final score that re-ranking gives', async () => {
    const combination = { alpha: 0.3, beta: 0.8 };
    for (const one of await feedbackOf()) {
      const { pairings, rank } = rankedByChunks(one, combination);
      const ranking = new Map(rank(scoresOf(pairings)).map(({ id, score }) => [id, score]));
      const { results } = await reranked(one.query, combination);
      expect(ranking.size).toBe(12);
      for (const { id, score } of results) expect(ranking.get(id), id).toBe(score);
    }
  });

  test('are ranked by rel(C,d) alone where α and β are open', async () => {
    const [one] = await feedbackOf();
    const { pairings, rank } = rankedByChunks(one, undefined);
    const { explanation } = await reranked(one.query);
    const expected = new Map(explanation!.documents.map((each) => [each.id, each.expansionScore]));
    for (const { id, score } of rank(scoresOf(pairings))) expect(score, id).toBe(expected.get(id));
    expect(expected.get('d11')).toBe(expansionScore([1, 1, 1], [0, 0, 0]));
  });

  test('without chunks keep the order of phase one', () => {
    const found = [0.2, 0.7].map((queryScore, i) => ({
      document: `d${i}`,
      passage: 'p',
      queryScore,
      initial: 1,
    }));
    const { pairings, rank } = rankedByChunks(
      { query: queries[0], feedback: { chunks: [], documents: found } },
      { alpha: 0.5, beta: 1 },
    );
    expect(pairings).toEqual([]);
    expect(rank(new Float32Array()).map(({ score }) => score)).toEqual([Math.log(0.2), Math.log(0.7)]);
  });
});

describe('a training of phase three', { timeout: 120_000 }, () => {
  const [training, validation, tested] = ['training', 'validation', 'tested'].map((seed) =>
    toyCollection(seed, 5),
  );
  const options = {
    steps: 2,
    batch: 8,
    maxLength: 24,
    learningRate: 1e-3,
    loss: 'listwise',
    groupSize: 4,
  } as const;

  async function train(out: string, judged: Qrels, changed: { kc?: number; resume?: boolean } = {}) {
    const asked: TextPair[] = [];
    const model = await toyModel(join(folder, 'base'), 'classifier');
    const first = await toyModel(join(folder, 'first'), 'classifier');
    const { kc = 2, resume = false } = changed;
    const manifest = await trainModel(
      {
        model,
        phaseThree: { phaseOne: first, phaseTwo: first, kd: 2, kc, chunkWords: 2, depth: 8 },
        ...merged(merged(training, validation), tested),
        queries: training.queries,
        validationQueries: validation.queries,
        qrels: judged,
        documentsKey: 'toy',
      },
      options,
      { out: join(folder, out), resume, openScorer: (path) => scorer(path, asked) },
    );
    return { manifest, asked };
  }

  test('sees neither a test query nor its judgements, and says what it was', async () => {
    const { qrels: judged } = merged(merged(training, validation), tested);
    const { manifest, asked } = await train('a', judged);
    expect(manifest.configuration).toMatchObject({ on: 'chunks', kd: 2, kc: 2, chunkWords: 2 });
    expect(manifest.examples).toMatchObject({ queries: 5, relevant: 5 * 2 * 2 });
    const texts = new Set([...training.queries, ...validation.queries].map(({ text }) => text));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.every(({ a }) => texts.has(a))).toBe(true);
    const isTested = (query: string): boolean => tested.queries.some(({ id }) => id === query);
    const others = new Map([...judged].map(([query, one]) => [query, isTested(query) ? new Map() : one]));
    expect((await train('b', others)).manifest).toMatchObject({
      weights: manifest.weights,
      configuration: manifest.configuration,
    });
  });

  test('is not taken up with other chunks', async () => {
    const { qrels: judged } = merged(merged(training, validation), tested);
    await expect(train('a', judged, { kc: 1, resume: true })).rejects.toThrow('kc (2, now 1)');
  });
});
