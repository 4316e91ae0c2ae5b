import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULTS, BertQE } from '../../src/expansion/index.js';
import { demoTexts, get, post, startServer, type Json } from './support/server.js';

const query = 'why did the bridge sway in the wind';
let url: string;
let texts: string[];
let expected: Map<string, readonly { index: number; relevance: number }[]>;

beforeAll(async () => {
  ({ url } = await startServer({ aliases: new Map([['rerank-v3.5', 'T']]), strictModels: true }));
  texts = await demoTexts(25);
  expected = new Map();
  for (const models of ['T', 'TTT']) {
    const bertQe = await BertQE.load({ models });
    const { results } = await bertQe.rerank(query, texts);
    expected.set(
      models,
      results.map(({ index, relevance }) => ({ index, relevance: relevance! })),
    );
    await bertQe.close();
  }
});

function indexes(results: Json): number[] {
  return results.map((result: Json) => result['index']);
}

describe('the re-rank APIs', () => {
  it('speak Cohere v2, with the ranking and the probabilities of the library', async () => {
    const { status, body } = await post(`${url}/v2/rerank`, {
      model: 'bert-qe-TTT',
      query,
      documents: texts,
    });
    expect(status).toBe(200);
    const wanted = expected.get('TTT')!;
    expect(indexes(body['results'])).toEqual(wanted.map(({ index }) => index));
    body['results'].forEach((result: Json, i: number) =>
      expect(result['relevance_score']).toBeCloseTo(wanted[i].relevance, 5),
    );
    expect(body['meta']['api_version']).toEqual({ version: '2' });
    expect(body['meta']['tokens']['input_tokens']).toBeGreaterThan(5 * 100);
    expect(body['results'][0]).not.toHaveProperty('document');
  });

  it('take the first of the models where none is named, names in any case, and aliases', async () => {
    const answers = await Promise.all(
      [undefined, 'ttt', 'T', 'TINY', 'bert-tiny', 'Rerank-v3.5'].map((model) =>
        post(`${url}/v2/rerank`, { model, query, documents: texts.slice(0, 2) }),
      ),
    );
    expect(answers.map(({ body }) => body['model'])).toEqual([
      'bert-qe-TTT',
      'bert-qe-TTT',
      'tiny',
      'tiny',
      'tiny',
      'tiny',
    ]);
    const { status, body } = await post(`${url}/v2/rerank`, { model: 'rerank-9', query, documents: [] });
    expect(status).toBe(404);
    expect(body['message']).toBe(
      'There is no model "rerank-9" here; there is bert-qe-TTT, tiny (GET /variants).',
    );
  });

  it('give the first n as the whole ranking has them', async () => {
    const { body } = await post(`${url}/v2/rerank`, { query, documents: texts, top_n: 3 });
    expect(indexes(body['results'])).toEqual(
      expected
        .get('TTT')!
        .slice(0, 3)
        .map(({ index }) => index),
    );
  });

  it('speak Cohere v1: documents as objects, rank_fields, documents returned', async () => {
    const documents = texts.slice(0, 4).map((text, i) => ({ text, title: `number ${i}` }));
    const { body } = await post(`${url}/v1/rerank`, {
      model: 'T',
      query,
      documents,
      top_n: 2,
      return_documents: true,
      rank_fields: ['title', 'text'],
    });
    expect(body['results']).toHaveLength(2);
    expect(body).not.toHaveProperty('data');
    const [{ index, document }] = body['results'];
    expect(document['text']).toBe(`title: number ${index}\ntext: ${texts[index]}`);
    expect(body['meta']['api_version']['version']).toBe('1');
  });

  it('speak Voyage where top_k is given', async () => {
    const { body } = await post(`${url}/v1/rerank`, {
      model: 'T',
      query,
      documents: texts,
      top_k: 4,
      truncation: true,
      return_documents: true,
    });
    const wanted = expected.get('T')!.slice(0, 4);
    expect(body['object']).toBe('list');
    expect(indexes(body['data'])).toEqual(wanted.map(({ index }) => index));
    expect(body['data'][0]['document']).toBe(texts[wanted[0].index]);
    expect(body).not.toHaveProperty('results');
    expect(body['usage']['total_tokens']).toBeGreaterThan(0);
  });

  it('speak Jina: a query that is an object, documents with a text, both answers where nothing tells them apart', async () => {
    const { body } = await post(`${url}/v1/rerank`, {
      model: 'T',
      query: { text: query },
      documents: texts.slice(0, 3).map((text) => ({ text })),
    });
    expect(indexes(body['results'])).toEqual(indexes(body['data']));
    expect(body['results']).toHaveLength(3);
  });

  it('speak TEI: texts in, a bare array out, best first', async () => {
    const { body } = await post(`${url}/rerank`, {
      model: 'T',
      query,
      texts,
      truncate: true,
      truncation_direction: 'right',
      return_text: true,
    });
    const wanted = expected.get('T')!;
    expect(indexes(body)).toEqual(wanted.map(({ index }) => index));
    expect(body[0]['text']).toBe(texts[wanted[0].index]);
    expect(body[0]['score']).toBeCloseTo(wanted[0].relevance, 5);
  });

  it.each(['T', 'TTT'])(
    'give log-odds as raw scores: their sigmoid is the probability (%s)',
    async (model) => {
      const { body } = await post(`${url}/rerank`, { model, query, texts, raw_scores: true });
      const wanted = expected.get(model)!;
      expect(indexes(body)).toEqual(wanted.map(({ index }) => index));
      body.forEach((result: Json, i: number) =>
        expect(1 / (1 + Math.exp(-result['score']))).toBeCloseTo(wanted[i].relevance, 5),
      );
    },
  );

  it('read of a document what its limits say', async () => {
    const long = [...texts, texts[expected.get('T')![0].index]].join(' ');
    const ask = (limits: object) =>
      post(`${url}/v1/rerank`, { model: 'T', query, documents: [long], ...limits });
    const [whole, passages, tokens] = await Promise.all([
      ask({}),
      ask({ max_chunks_per_doc: 1 }),
      ask({ max_tokens_per_doc: 20 }),
    ]);
    expect(whole.body['usage']['total_tokens']).toBeGreaterThan(5 * 100);
    expect(passages.body['usage']['total_tokens']).toBeLessThan(300);
    expect(tokens.body['usage']['total_tokens']).toBeLessThanOrEqual(20 + 12);
    expect(tokens.body['usage']['total_tokens']).toBeGreaterThan(20);
  });

  it('explain on request, with the parameters of the request', async () => {
    const { body } = await post(`${url}/v2/rerank`, {
      query,
      documents: texts,
      explain: true,
      method: { kc: 4, chunkWords: 6 },
    });
    const { chunks, documents } = body['explanation'];
    expect(chunks).toHaveLength(4);
    expect(chunks[0]['words']).toBe(6);
    expect(documents).toHaveLength(25);
  });

  it('answer an empty list with an empty ranking and an empty document with 0', async () => {
    expect((await post(`${url}/v2/rerank`, { query, documents: [] })).body['results']).toEqual([]);
    const { body } = await post(`${url}/v2/rerank`, { query, documents: ['', ' \n'] });
    expect(body['results'].map((result: Json) => result['relevance_score'])).toEqual([0, 0]);
  });

  it('score documents with lone surrogates, and give them back as they came', async () => {
    const broken = 'half a pair \ud800 of surrogates';
    const { status, body } = await post(`${url}/v1/rerank`, {
      model: 'T',
      query: `wind \udfff`,
      documents: [broken],
      return_documents: true,
    });
    expect(status).toBe(200);
    expect(body['results'][0]['document']['text']).toBe(broken);
    expect(body['results'][0]['relevance_score']).toBeGreaterThan(0);
  });

  it('tell how long it took and what it was', async () => {
    const { headers } = await post(
      `${url}/v2/rerank`,
      { query, documents: texts },
      { 'X-Request-Id': 'my-id.1' },
    );
    expect(headers.get('x-request-id')).toBe('my-id.1');
    expect(headers.get('server-timing')).toMatch(
      /^queue;dur=[\d.]+, inference;dur=[\d.]+, total;dur=[\d.]+$/,
    );
    expect(Number(headers.get('x-compute-tokens'))).toBeGreaterThan(0);
    expect(Number(headers.get('x-total-time'))).toBeGreaterThan(0);
    const forged = await post(
      `${url}/v2/rerank`,
      { query, documents: [] },
      { 'X-Request-Id': 'no spaces, please' },
    );
    expect(forged.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });
});

describe('the catalogue', () => {
  it('lists the variants with their models and FLOPs, and what searches took', async () => {
    const { body } = await get(`${url}/variants`);
    expect(body['default']).toBe('bert-qe-TTT');
    const [ttt, tiny] = body['variants'];
    expect(ttt['models']['phaseThree']).toMatchObject({ model: 'tiny', layers: 2, hidden: 128 });
    expect(tiny['models']).not.toHaveProperty('phaseTwo');
    expect(ttt['paper']['relative']).toBeGreaterThan(DEFAULTS.kc * tiny['paper']['relative']);
    expect(ttt).not.toHaveProperty('measured');
    await post(`${url}/search`, { query, documents: texts.slice(0, 5) });
    const [measured] = (await get(`${url}/variants`)).body['variants'];
    expect(measured['measured']).toMatchObject({ searches: 1, documents: 5 });
    expect(measured['measured']['milliseconds']['phaseThree']).toBeGreaterThan(0);
  });

  it('says what is loaded: nothing but models', async () => {
    const { body } = await get(`${url}/info`);
    expect(body).toMatchObject({ name: 'bert-qe', model: 'bert-qe-TTT', collection: null, queries: 0 });
    expect((await get(`${url}/documents/x`)).status).toBe(404);
    const { status, body: refused } = await post(`${url}/search`, { query });
    expect(status).toBe(422);
    expect(refused['message']).toMatch(/No index is loaded/);
  });
});
