import { describe, expect, it } from 'vitest';
import { get, post, startServer } from './support/server.js';

const query = 'why does a bridge sway';
const documents = ['A bridge sways when the wind sets it swinging.', 'Bread rises because yeast makes gas.'];

describe('names of models that clients of other services send', async () => {
  const { url, lines } = await startServer();

  it('are served by the default variant, and logged once', async () => {
    const [v2, again, v1, jina, tei] = await Promise.all([
      post(`${url}/v2/rerank`, { model: 'rerank-v3.5', query, documents }),
      post(`${url}/v2/rerank`, { model: 'rerank-v3.5', query, documents }),
      post(`${url}/v1/rerank`, { model: 'rerank-2.5', query, documents, top_k: 1 }),
      post(`${url}/v1/rerank`, {
        model: 'jina-reranker-v2-base-multilingual',
        query,
        documents,
        top_n: 1,
        return_documents: true,
      }),
      post(`${url}/rerank`, { model: 'tei', query, texts: documents, raw_scores: false, truncate: true }),
    ]);
    expect([v2, again, v1, jina, tei].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(v2.body['model']).toBe('bert-qe-TTT');
    expect(v1.body['model']).toBe('rerank-2.5');
    expect(v1.body['data']).toHaveLength(1);
    expect(jina.body['model']).toBe('jina-reranker-v2-base-multilingual');
    expect(jina.body['results'][0]['document']['text']).toBe(documents[0]);
    expect(tei.body[0]['index']).toBe(0);
    const logged = lines.text.split('\n').filter((line) => line.includes('unknown model'));
    expect(logged.every((line) => line.includes('"served":"bert-qe-TTT"'))).toBe(true);
    expect(logged.map((line) => (JSON.parse(line) as { model: string }).model).sort()).toEqual([
      'jina-reranker-v2-base-multilingual',
      'rerank-2.5',
      'rerank-v3.5',
      'tei',
    ]);
  });

  it('are logged up to a hundred, however many there are', async () => {
    for (let i = 0; i < 120; i++) await get(`${url}/v1/models/name-${i}`);
    expect(lines.text.match(/unknown model/g)).toHaveLength(100);
  });

  it('name the default as bert-qe; wrong names of our own are refused, and so is any in /search', async () => {
    const named = await post(`${url}/v1/rerank`, { model: 'bert-qe', query, documents });
    expect(named.body['model']).toBe('bert-qe');
    const wrong = await post(`${url}/v2/rerank`, { model: 'bert-qe-LMT', query, documents });
    expect(wrong.status).toBe(404);
    expect(wrong.body['message']).toContain('there is bert-qe-TTT, tiny');
    expect((await post(`${url}/search`, { model: 'rerank-v3.5', query, documents })).status).toBe(404);
  });

  it('are listed for OpenAI and Cohere', async () => {
    const { body } = await get(`${url}/v1/models`);
    expect(body['object']).toBe('list');
    expect(body['data'].map(({ id }: { id: string }) => id)).toEqual(['bert-qe-TTT', 'bert-qe', 'tiny']);
    expect(body['data'][1]).toEqual({
      id: 'bert-qe',
      object: 'model',
      created: expect.any(Number) as number,
      owned_by: 'bert-qe',
      root: 'bert-qe-TTT',
      name: 'bert-qe',
      endpoints: ['rerank'],
      finetuned: false,
    });
    expect(body['models']).toEqual(body['data']);
    expect((await get(`${url}/models`)).body).toEqual(body);
    expect((await get(`${url}/v1/models?endpoint=rerank`)).body).toEqual(body);
    expect((await get(`${url}/v1/models?endpoint=chat`)).body).toMatchObject({ data: [], models: [] });
    const one = await get(`${url}/v1/models/${encodeURIComponent('BAAI/bge-reranker-v2-m3')}`);
    expect(one.body).toMatchObject({ id: 'BAAI/bge-reranker-v2-m3', root: 'bert-qe-TTT' });
    expect((await get(`${url}/v1/models/bert-qe-nothing`)).status).toBe(404);
    expect((await get(`${url}/info`)).body).toMatchObject({ model_id: 'bert-qe-TTT' });
  });
});

describe('aliases', () => {
  it('may stand for every unknown name, and for the default', async () => {
    const aliases = new Map([
      ['*', 'T'],
      ['rerank-v4.0-fast', 'bert-qe'],
    ]);
    const { url } = await startServer({ aliases });
    const answers = await Promise.all(
      [undefined, 'bert-qe', 'rerank-v4.0-fast', 'rerank-v3.5'].map((model) =>
        post(`${url}/v2/rerank`, { model, query, documents }),
      ),
    );
    expect(answers.map(({ body }) => body['model'])).toEqual([
      'bert-qe-TTT',
      'bert-qe-TTT',
      'bert-qe-TTT',
      'tiny',
    ]);
    const { body } = await get(`${url}/v1/models`);
    expect(body['data'].map(({ id }: { id: string }) => id)).toEqual([
      'bert-qe-TTT',
      'bert-qe',
      'rerank-v4.0-fast',
      'tiny',
    ]);
  });

  it('may take the name of the default', async () => {
    const { url } = await startServer({ aliases: new Map([['bert-qe', 'T']]) });
    const { body } = await post(`${url}/v2/rerank`, { model: 'bert-qe', query, documents });
    expect(body['model']).toBe('tiny');
  });
});
