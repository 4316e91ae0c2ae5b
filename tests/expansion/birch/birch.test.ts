import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { evaluate, choose, Validation } from '../../../src/evaluation/index.js';
import { Birch, birchScore } from '../../../src/expansion/index.js';
import { FakeScorer } from '../fake-scorer.js';

type Weights = readonly [number, number, number];

/** Made by scripts/fixtures/expansion/birch.py. */
interface Fixture {
  readonly weights: readonly Weights[];
  readonly queries: readonly {
    readonly id: string;
    readonly text: string;
    readonly documents: readonly {
      readonly id: string;
      readonly initial: number;
      readonly sentences: readonly { readonly text: string; readonly score: number }[];
    }[];
    readonly best: Readonly<Record<string, readonly number[]>>;
    readonly rankings: readonly (readonly (readonly [string, number])[])[];
  }[];
  readonly qrels: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly grid: readonly Weights[];
  readonly chosen: { readonly weights: Weights; readonly 'nDCG@20': number; readonly 'AP@100': number };
}

const fixture = JSON.parse(
  readFileSync(new URL('../../fixtures/expansion/birch.json', import.meta.url), 'utf8'),
) as Fixture;
const probabilities = new Map(
  fixture.queries.flatMap(({ documents }) =>
    documents.flatMap(({ sentences }) => sentences.map(({ text, score }) => [text, score] as const)),
  ),
);
const model = () => new FakeScorer((_, sentence) => probabilities.get(sentence)!);
const inputsOf = ({ documents }: Fixture['queries'][number]) =>
  documents.map(({ id, initial, sentences }) => ({
    id,
    score: initial,
    text: sentences.map(({ text }) => text).join(' '),
  }));
const named = ([alpha, beta, gamma]: Weights) => ({ alpha, beta, gamma });

describe('Birch agrees with the Python version:', () => {
  test.each(fixture.weights.map((weights, i) => [weights, i] as const))('weights %j', async (weights, i) => {
    for (const query of fixture.queries) {
      const birch = new Birch(model(), named(weights));
      const { results, complete, cost } = await birch.rerank(query.text, inputsOf(query));
      expect(results.map(({ id }) => id)).toEqual(query.rankings[i].map(([id]) => id));
      results.forEach(({ score }, place) => expect(score).toBeCloseTo(query.rankings[i][place][1], 12));
      expect(complete).toBe(true);
      expect(cost.pairs).toBe(query.documents.reduce((sum, { sentences }) => sum + sentences.length, 0));
    }
  });

  test('the best three sentences of every document', async () => {
    for (const query of fixture.queries) {
      const { candidates } = await new Birch(model()).evidence(query.text, inputsOf(query));
      const best = candidates.map(({ id, sentences }) => [id, sentences.map(({ score }) => score)]);
      expect(Object.fromEntries(best)).toEqual(query.best);
    }
  });

  test('the weights that a grid chooses on validation queries', async () => {
    const qrels = new Map(
      Object.entries(fixture.qrels).map(([query, grades]) => [query, new Map(Object.entries(grades))]),
    );
    const ids = fixture.queries.map(({ id }) => id);
    const validation = Validation.of({ valid: ids }, qrels, 'fold 1');
    const byId = new Map(fixture.queries.map((query) => [query.id, query]));
    const ranker = (weights: Weights) => (id: string) => {
      const { documents, best } = byId.get(id)!;
      return documents
        .map((document) => ({
          id: document.id,
          score: birchScore(best[document.id], document.initial, named(weights)),
        }))
        .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    };
    const { parameters, value, tieBreakValue } = choose(validation, fixture.grid, ranker);
    expect(parameters).toEqual(fixture.chosen.weights);
    expect(value).toBeCloseTo(fixture.chosen['nDCG@20'], 12);
    expect(tieBreakValue).toBeCloseTo(fixture.chosen['AP@100'], 12);
    const run = new Map(ids.map((id) => [id, ranker(parameters)(id)]));
    expect(evaluate(run, qrels, { measures: ['nDCG@20'], label: 'best' }).summary.get('nDCG@20')).toBe(value);
  });
});

describe('Birch', () => {
  test('without initial scores sums the sentences alone', async () => {
    const scorer = new FakeScorer((_, b) => (b.startsWith('Good') ? 0.75 : 0.25));
    const birch = new Birch(scorer, { alpha: 0.5, beta: 0.5, gamma: 0.25 });
    const { results } = await birch.rerank('sea', [
      'Bad one. Bad two.',
      'Good one. Bad one. Good two. Bad three.',
      '',
    ]);
    expect(results.map(({ index, score }) => [index, score])).toEqual([
      [1, 0.75 + 0.375 + 0.0625],
      [0, 0.25 + 0.125],
      [2, 0],
    ]);
  });

  test('explains each place by its sentences and keeps documents below the depth in order', async () => {
    const [query] = fixture.queries;
    const birch = new Birch(model(), { ...named([0.1, 0.5, 0.3]), depth: 5 });
    const { results, explanation } = await birch.rerank(query.text, inputsOf(query), {
      explain: true,
      queryId: query.id,
    });
    expect(results.slice(5).map(({ id }) => id)).toEqual(query.documents.slice(5).map(({ id }) => id));
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).sort((a, b) => b - a),
    );
    expect(explanation!.documents.map(({ id }) => id)).toEqual(results.slice(0, 5).map(({ id }) => id));
    for (const { sentences, initial, final } of explanation!.documents) {
      const [one = 0, two = 0, three = 0] = sentences.map(({ score }) => score);
      expect(final).toBeCloseTo(0.1 * initial! + 0.9 * (one + 0.5 * two + 0.3 * three), 12);
    }
  });

  test('cuts to topK what it ranks in full', async () => {
    const [query] = fixture.queries;
    const birch = new Birch(model());
    const { results: all } = await birch.rerank(query.text, inputsOf(query));
    const { results, explanation } = await birch.rerank(query.text, inputsOf(query), {
      topK: 3,
      explain: true,
    });
    expect(results).toEqual(all.slice(0, 3));
    expect(explanation!.documents.length).toBe(3);
  });

  test('takes a document of a thousand sentences, one of none and a query of one word', async () => {
    const long = Array.from({ length: 1000 }, (_, i) => `Sentence number ${i} is here.`).join(' ');
    const scorer = new FakeScorer((_, b) => (b.includes(' 700 ') ? 0.875 : 0.5));
    const { results, cost } = await new Birch(scorer, { beta: 0, gamma: 0 }).rerank('sea', [long, '', 'It.']);
    expect(results.map(({ index, score }) => [index, score])).toEqual([
      [0, 0.875],
      [2, 0.5],
      [1, 0],
    ]);
    expect(cost.pairs).toBe(1001);
  });

  test('takes texts and queries of words that the model does not know, with a real model', async () => {
    const birch = await Birch.load({ model: 'T', precision: 'fp32' });
    const given = [
      '',
      '   ',
      '\u{1F9F2}\u{1F9F2} ŧħœ \u0000',
      'qqqq zzzz. wwww',
      'wave '.repeat(2000),
      'The sea is deep.',
    ];
    for (const query of ['sea', '\u{1F9F2}', 'qqqq zzzz', 'the sea '.repeat(500)]) {
      const { results } = await birch.rerank(query, given);
      expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4, 5]);
      for (const { score } of results) expect(Number.isFinite(score)).toBe(true);
    }
    await expect(birch.rerank('  ', given)).rejects.toThrow('the query is empty');
    await birch.close();
  });

  test('puts a sentence that several documents share to the model once', async () => {
    const scorer = new FakeScorer(() => 0.5);
    await new Birch(scorer).rerank('sea', ['It rains. It pours.', 'It rains. It snows.']);
    expect(scorer.asked.map(({ b }) => b)).toEqual(['It rains.', 'It pours.', 'It snows.']);
  });

  test('has no results for no documents', async () => {
    expect((await new Birch(model()).rerank('sea', [])).results).toEqual([]);
  });

  test('stops when it is told to', async () => {
    const stop = AbortSignal.abort();
    await expect(new Birch(model()).rerank('sea', ['It rains.'], { signal: stop })).rejects.toThrow();
  });

  test.each<[string, () => unknown, RegExp]>([
    ['an empty query', () => new Birch(model()).rerank(' ', ['x']), /the query is empty; give it some words/],
    ['a weight above 1', () => new Birch(model(), { gamma: 1.5 }), /gamma must be between 0 and 1, not 1.5/],
    ['a weight that is no number', () => new Birch(model(), { alpha: Number.NaN }), /alpha must be between/],
    ['a misspelt option', () => new Birch(model(), { gama: 1 } as object), /gama/],
    ['a misspelt option of a call', () => new Birch(model()).rerank('x', [], { topk: 1 } as object), /topk/],
    [
      'scores on some documents',
      () => new Birch(model()).rerank('x', ['a', { text: 'b', score: 1 }]),
      /no score/,
    ],
    ['a model that is not there', () => Birch.load({ model: 'nowhere' }), /No model "nowhere"/],
  ])('refuses %s', async (_, call, message) => {
    await expect((async () => call())()).rejects.toThrow(message);
  });
});
