import { beforeAll, describe, expect, it } from 'vitest';
import { searchAnswer, type SearchAnswer } from '../../src/server/schemas/index.js';
import { contributionsOf } from '../../web/src/model/contributions.js';
import { measure, shownMeasures } from '../../web/src/model/measures.js';
import { fixedRankings } from '../../web/src/model/rankings.js';
import { recombine } from '../../web/src/model/recombine.js';
import { demoCollection, post, startServer } from '../server/support/server.js';

let url: string;
let loaded: Awaited<ReturnType<typeof demoCollection>>;
/** Made with other parameters than any that is asked for. */
let explained: NonNullable<SearchAnswer['explanation']>;

beforeAll(async () => {
  loaded = await demoCollection();
  ({ url } = await startServer({ ...loaded, depth: 10 }));
  const { explanation } = await search({ query: loaded.queries[6].text, alpha: 0.2, beta: 0.7 });
  explained = explanation!;
});

async function search(request: object): Promise<SearchAnswer> {
  const { body } = await post(`${url}/search`, { explain: true, ...request });
  return searchAnswer.parse(body);
}

describe('combining again in the browser', () => {
  it.each([
    [0.4, 0.9],
    [0, 1],
    [1, 0.5],
    [0.7, 0],
  ])('gives the scores and places that the server gives with α %d and β %d', async (alpha, beta) => {
    const query = loaded.queries[6].text;
    const asked = await search({ query, alpha, beta });
    const places = recombine(explained, { alpha, beta });
    expect(places.map(({ id }) => id)).toEqual(asked.results.map(({ id }) => id));
    places.forEach((place, i) => {
      expect(place.rank).toBe(i + 1);
      expect(place.final).toBeCloseTo(asked.results[i].score, 6);
      expect(place.combined!).toBeCloseTo(asked.results[i].relevance!, 6);
    });
  });

  it('leaves α without effect where a variant has no chunks', async () => {
    const answer = await search({ query: loaded.queries[0].text, model: 'T' });
    const scores = answer.results.map(({ score }) => score);
    for (const alpha of [0, 0.5, 1]) {
      const places = recombine(answer.explanation!, { alpha, beta: answer.settings.beta });
      expect(places.map(({ final }) => final)).toEqual(scores);
    }
  });

  it('ranks by ln M alone where documents came without scores', async () => {
    const documents = ['Bees make honey.', 'A hive of bees swarms in May.', 'The bridge is closed.'];
    const answer = await search({ query: 'honey bees', documents });
    for (const beta of [0, 0.3, 1]) {
      const places = recombine(answer.explanation!, { alpha: answer.settings.alpha, beta });
      expect(places.map(({ id }) => id)).toEqual(answer.results.map(({ id }) => id));
      places.forEach(({ final, combined }) => expect(final).toBe(Math.log(combined!)));
    }
  });

  it('puts documents whose scores a deadline left unknown at the end', async () => {
    const { explanation } = await search({ query: loaded.queries[0].text, depth: 5 });
    const [first, second, ...others] = explanation!.documents;
    const cut = {
      chunks: explanation!.chunks,
      documents: [{ ...first, queryScore: null }, { ...second, chunkScores: [null] }, ...others],
    };
    const places = recombine(cut, { alpha: 0.4, beta: 0.9 });
    expect(places.slice(-2)).toEqual([
      { id: first.id, rank: 4, expansion: null, combined: null, final: first.final },
      { id: second.id, rank: 5, expansion: null, combined: null, final: second.final },
    ]);
  });
});

describe('what is said about a ranking', () => {
  it("has the server's values of the measures, for all three rankings", async () => {
    const { id, text } = loaded.queries[2];
    const answer = await search({ query: text });
    const { levels, measures, queryId } = answer.judgements!;
    expect(queryId).toBe(id);
    const { initial, phase1 } = fixedRankings(answer);
    const final = recombine(answer.explanation!, answer.settings).map((place) => place.id);
    for (const name of shownMeasures) {
      expect(measure(initial!, levels)[name]).toBe(measures.initial[name]);
      expect(measure(phase1!, levels)[name]).toBe(measures.phase1![name]);
      expect(measure(final, levels)[name]).toBe(measures.final[name]);
    }
  });

  it('splits M into what the query and every chunk add', async () => {
    const { explanation } = await search({ query: loaded.queries[0].text });
    const { chunks, documents } = explanation!;
    for (const alpha of [0, 0.4, 1]) {
      const places = new Map(recombine(explanation!, { alpha, beta: 1 }).map((place) => [place.id, place]));
      for (const document of documents) {
        const parts = contributionsOf(document, chunks, { alpha });
        expect(parts).toHaveLength(chunks.length + 1);
        const sum = parts.reduce((sum, { value }) => sum + value, 0);
        expect(sum).toBeCloseTo(places.get(document.id)!.combined!, 10);
        // All shares together: if every model said 1, M would be 1.
        expect(parts.reduce((sum, { most }) => sum + most, 0)).toBeCloseTo(1, 10);
      }
    }
  });
});
