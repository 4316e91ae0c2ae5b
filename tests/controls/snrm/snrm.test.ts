import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Snrm, trainSnrm } from '../../../src/controls/index.js';
import { checkIndex, type Index } from '../../../src/retrieval/index.js';
import { temporaryFolder } from '../../support/folders.js';
import { expectSameFiles, stoppedAfter } from '../../support/stopped-training.js';
import { documents, expectStrangeTextsRanked, indexOf, long } from '../notes.js';

const folder = temporaryFolder();
const options = {
  steps: 30,
  batch: 8,
  latentTerms: 64,
  weakQueries: 50,
  threads: 1,
  vectors: { dimensions: 16, minimumCount: 2, epochs: 2 },
};
let index: Index;
let snrm: Snrm;

beforeAll(async () => {
  index = await indexOf(join(folder, 'index'), [
    ...documents,
    { id: 'empty', text: '' },
    { id: 'long', text: long },
  ]);
  await trainSnrm(index, options, { out: join(folder, 'snrm') });
  snrm = await Snrm.load({ model: join(folder, 'snrm') });
});
afterAll(async () => {
  await snrm.close();
  await index.close();
});

describe('training SNRM', () => {
  test('needs no judgements, goes on where it was stopped, and ends with the same bytes', async () => {
    const out = join(folder, 'stopped');
    const stopped = trainSnrm(index, options, { out, ...stoppedAfter(20) });
    await expect(stopped).rejects.toThrow('stopped after step 20');
    expect(existsSync(join(out, 'latent.json'))).toBe(false);
    await trainSnrm(index, options, { out, resume: true });
    await expectSameFiles(out, join(folder, 'snrm'), ['model.safetensors', 'latent.json', 'terms.json']);
  });

  test('builds the index of latent terms where it is missing', async () => {
    await rm(join(folder, 'stopped/latent.json'));
    const out = join(folder, 'stopped');
    const other = await Snrm.load({ model: out });
    await expect(other.search({ id: '1', text: 'granite' })).rejects.toThrow('--resume');
    await other.close();
    const steps: number[] = [];
    await trainSnrm(index, options, { out, resume: true, onProgress: ({ step }) => steps.push(step) });
    expect(steps).toEqual([]);
    expect(await readFile(join(out, 'latent.json'), 'utf8')).toBe(
      await readFile(join(folder, 'snrm/latent.json'), 'utf8'),
    );
  });

  test('makes it sparser by a larger weight of the penalty', async () => {
    await trainSnrm(index, { ...options, penalty: 0.05 }, { out: join(folder, 'sparse') });
    const densities = await Promise.all(
      ['snrm', 'sparse'].map(async (name) => {
        const facts = JSON.parse(await readFile(join(folder, name, 'latent.json'), 'utf8')) as {
          density: number;
        };
        return facts.density;
      }),
    );
    expect(densities[1]).toBeLessThan(densities[0]!);
  });

  test('refuses a collection without words, and options that are not numbers', async () => {
    const empty = await indexOf(join(folder, 'nothing'), [
      { id: 'a', text: '' },
      { id: 'b', text: '...' },
    ]);
    await expect(trainSnrm(empty, options, { out: join(folder, 'none') })).rejects.toThrow(
      'no queries can be made of its documents',
    );
    await empty.close();
    for (const wrong of [{ latentTerms: 0 }, { weakQueries: 1.5 }, { penalty: -1 }, { steps: 0 }]) {
      await expect(trainSnrm(index, { ...options, ...wrong }, { out: join(folder, 'no') })).rejects.toThrow(
        Object.keys(wrong)[0],
      );
    }
  });
});

describe('the index of latent terms', () => {
  test('is sound, and has a posting for every weight that is not rounded to 0', async () => {
    expect(checkIndex(join(folder, 'snrm/latent')).problems).toEqual([]);
    const { facts, index: latent } = await snrm.latentIndex();
    expect(latent.statistics.documents).toBe(index.statistics.documents);
    expect(facts.emptyDocuments).toBeGreaterThanOrEqual(1);
    let postings = 0;
    for (let number = 0; number < index.statistics.documents; number++) {
      const { title = '', text } = index.document(number);
      const [{ terms, weights }] = (await snrm.represent([title === '' ? text : `${title} ${text}`])) as [
        { terms: number[]; weights: number[] },
      ];
      const stored = latent.vector(latent.documentNumber(index.documentId(number))!);
      const expected = terms.flatMap((term, i) => {
        const frequency = Math.round(weights[i]! / facts.step);
        return frequency > 0 ? [[`t${term}`, frequency]] : [];
      });
      const found = stored.terms.map((term, i) => [latent.termFacts(term).name, stored.frequencies[i]]);
      expect(found.sort()).toEqual(expected.sort());
      postings += found.length;
    }
    expect(postings / (index.statistics.documents * facts.latentTerms)).toBeCloseTo(facts.density, 10);
  });

  test('is searched by dot product, with and without pruning alike', async () => {
    const { facts, index: latent } = await snrm.latentIndex();
    const ranking = await snrm.search({ id: '1', text: 'a violin by the old mill' }, { depth: 5 });
    expect(ranking.length).toBe(5);
    const [query] = await snrm.represent(['a violin by the old mill']);
    for (const { id, score } of ranking) {
      const { terms, frequencies } = latent.vector(latent.documentNumber(id)!);
      const weights = new Map(
        terms.map((term, i) => [latent.termFacts(term).name, frequencies[i]! * facts.step]),
      );
      const expected = query!.terms.reduce(
        (sum, term, i) => sum + query!.weights[i]! * (weights.get(`t${term}`) ?? 0),
        0,
      );
      expect(score).toBeCloseTo(expected, 6);
    }
    const [first] = await snrm.search({ id: '2', text: 'violin' });
    expect(documents.find(({ id }) => id === first!.id)!.text).toContain('violin');
  });

  test('adds the heaviest terms of the first documents to the query', async () => {
    const latent = await snrm.latentIndex();
    const [query] = await snrm.represent(['violin']);
    const plain = latent.search(query!, { depth: 60 });
    const expanded = latent.search(query!, { depth: 60 }, { documents: 3, terms: 10, weight: 1 });
    expect(expanded.length).toBeGreaterThan(plain.length);
    expect(latent.search(query!, { depth: 60 }, { documents: 3, terms: 10, weight: 0 })).toEqual(plain);
    const withFeedback = await Snrm.load({
      model: join(folder, 'snrm'),
      feedback: { documents: 3, terms: 10, weight: 1 },
    });
    expect(await withFeedback.search({ id: '1', text: 'violin' }, { depth: 60 })).toEqual(expanded);
    await withFeedback.close();
    for (const feedback of [{ documents: 0 }, { terms: 1.5 }, { weight: -1 }, { number: 3 }]) {
      await expect(Snrm.load({ model: join(folder, 'snrm'), feedback })).rejects.toThrow(
        Object.keys(feedback)[0],
      );
    }
  });
});

describe('re-ranking with SNRM', () => {
  test('scores by the dot product of representations, and counts the cost', async () => {
    const given = documents.slice(0, 12);
    const { results, cost, explanation } = await snrm.rerank('about granite', given, { explain: true });
    const [query, ...others] = await snrm.represent([
      'about granite',
      ...given.map(({ title, text }) => `${title} ${text}`),
    ]);
    for (const { index: place, score } of results) {
      const { terms, weights } = others[place]!;
      const expected = terms.reduce((sum, term, i) => {
        const at = query!.terms.indexOf(term);
        return at < 0 ? sum : sum + weights[i]! * query!.weights[at]!;
      }, 0);
      expect(score).toBeCloseTo(expected, 5);
    }
    expect(cost).toMatchObject({ pairs: 12, tokens: 0 });
    expect(cost.flops).toBeGreaterThan(1e5);
    expect(explanation!.method).toBe('SNRM');
    expect(given[results[0]!.index]!.text).toContain('granite');
  });

  test('takes empty and long documents, short queries and unknown words', async () => {
    await expectStrangeTextsRanked(snrm);
    expect(await snrm.search({ id: '1', text: 'qqq \u{1F9F2}' })).toEqual([]);
    const feedback = await Snrm.load({ model: join(folder, 'snrm'), feedback: {} });
    expect(await feedback.search({ id: '1', text: 'qqq' })).toEqual([]);
    expect((await feedback.search({ id: '1', text: long })).length).toBeGreaterThan(0);
    await feedback.close();
  });

  test('refuses models of another method, and damaged ones', async () => {
    await expect(Snrm.load({ model: 'models/tiny' })).rejects.toThrow('holds no model of snrm');
    await writeFile(join(folder, 'sparse/latent.json'), '{');
    const damaged = await Snrm.load({ model: join(folder, 'sparse') });
    await expect(damaged.search({ id: '1', text: 'granite' })).rejects.toThrow('latent.json cannot be read');
    await damaged.close();
    await rm(join(folder, 'sparse/terms.json'));
    await expect(Snrm.load({ model: join(folder, 'sparse') })).rejects.toThrow('terms.json cannot be read');
  });
});
