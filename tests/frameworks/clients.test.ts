import { createCohere as createCohere6 } from '@ai-sdk/cohere';
import { createCohere as createCohere7 } from '@ai-sdk/cohere-v4';
import { createTogetherAI } from '@ai-sdk/togetherai';
import { createVoyage } from '@ai-sdk/voyage';
import { CohereRerank } from '@langchain/cohere';
import { rerank as rerank6 } from 'ai';
import { rerank as rerank7 } from 'ai-v7';
import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { VoyageAIClient } from 'voyageai';
import { documents, expectedRanking, query, startServer } from './support.js';

let url: string;
let expected: { index: number; relevanceScore: number }[];
const token = 'a-key';

beforeAll(async () => {
  ({ url } = await startServer({ models: ['TTT', 'T'], keys: [token] }));
  expected = await expectedRanking('TTT');
});

async function ask(path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${url}${path}`, { headers, ...post });
  expect(answer.status).toBe(200);
  return answer.json();
}

/** Scores come through different batches, so they may differ in the last digits. */
function expectRanking(
  ranking: readonly { index: number; score: number }[],
  places = documents.length,
): void {
  expect(ranking.map(({ index }) => index)).toEqual(expected.slice(0, places).map(({ index }) => index));
  ranking.forEach(({ score }, i) => expect(score).toBeCloseTo(expected[i].relevanceScore, 5));
}

describe('clients of other re-rankers, unmodified, against the server', () => {
  it("Cohere's client, v2", async () => {
    const cohere = new CohereClientV2({ environment: url, token });
    const answer = await cohere.rerank({ model: 'rerank-v3.5', query, documents, topN: 4 });
    expectRanking(
      answer.results.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })),
      4,
    );
    const byDefault = await new CohereClient({ environment: url, token }).rerank({ query, documents });
    expectRanking(byDefault.results.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })));
    expect(answer.meta?.apiVersion?.version).toBe('2');
    expect(answer.meta?.tokens?.inputTokens).toBeGreaterThan(0);
  });

  it("Cohere's client, v1, with documents as objects and given back", async () => {
    const cohere = new CohereClient({ environment: url, token });
    const answer = await cohere.rerank({
      model: 'rerank-english-v3.0',
      query,
      documents: documents.map((text) => ({ text })),
      returnDocuments: true,
    });
    expectRanking(answer.results.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })));
    expect(answer.results[0].document?.text).toBe(documents[expected[0].index]);
  });

  it("Cohere's client hears what is wrong, as errors of its own", async () => {
    const stranger = new CohereClientV2({ environment: url, token: 'wrong', maxRetries: 0 });
    await expect(stranger.rerank({ model: 'T', query, documents })).rejects.toMatchObject({
      statusCode: 401,
      body: { message: expect.stringContaining('API key') as string },
    });
    const cohere = new CohereClientV2({ environment: url, token, maxRetries: 0 });
    const mistaken = cohere.rerank({ model: 'bert-qe-LMT', query, documents });
    await expect(mistaken).rejects.toThrow(CohereError);
    await expect(mistaken).rejects.toMatchObject({ statusCode: 404 });
    await expect(cohere.rerank({ model: 'T', query: '', documents })).rejects.toMatchObject({
      statusCode: 422,
    });
  });

  it("Cohere's client lists the models", async () => {
    const cohere = new CohereClient({ environment: url, token });
    const { models } = await cohere.models.list({ endpoint: 'rerank' });
    expect(models.map(({ name }) => name)).toEqual(['bert-qe-TTT', 'bert-qe', 'tiny']);
    expect(await cohere.models.get('rerank-v3.5')).toMatchObject({
      name: 'rerank-v3.5',
      endpoints: ['rerank'],
    });
  });

  it("OpenAI's client lists the models", async () => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token });
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(['bert-qe-TTT', 'bert-qe', 'tiny']);
    expect(await client.models.retrieve('BAAI/bge-reranker-v2-m3')).toMatchObject({ root: 'bert-qe-TTT' });
  });

  // The rankers of Haystack are Python; these are the bodies that they send. python-clients.test.ts runs others.
  it.each([3, null])("Haystack's JinaRanker, with top_n %s", async (top_n) => {
    const model = 'jina-reranker-v1-base-en';
    const { results, ...answer } = (await ask('/v1/rerank', { query, documents, model, top_n })) as {
      results: { index: number; relevance_score: number }[];
    };
    expectRanking(
      results.map(({ index, relevance_score: score }) => ({ index, score })),
      top_n ?? documents.length,
    );
    expect(answer).toMatchObject({ model, usage: { total_tokens: expect.any(Number) as number } });
  });

  it.each([{}, { truncate: true, truncation_direction: 'Right' }])(
    "Haystack's HuggingFaceTEIRanker, with %o",
    async (truncation) => {
      const body = { query, texts: documents, raw_scores: false, ...truncation };
      expectRanking((await ask('/rerank', body)) as { index: number; score: number }[]);
      expect(await ask('/info')).toMatchObject({ model_id: 'bert-qe-TTT', model_type: { reranker: {} } });
    },
  );

  it("Voyage's client", async () => {
    const voyage = new VoyageAIClient({ environment: `${url}/v1`, apiKey: token });
    const answer = await voyage.rerank({
      model: 'rerank-2.5',
      query,
      documents,
      topK: 3,
      returnDocuments: true,
    });
    const ranked = answer.data!.map(({ index, relevanceScore }) => ({
      index: index!,
      score: relevanceScore!,
    }));
    expectRanking(ranked, 3);
    expect(answer.data![0].document).toBe(documents[expected[0].index]);
    expect(answer.usage?.totalTokens).toBeGreaterThan(0);
  });

  it('the Cohere provider of AI SDK 6', async () => {
    const cohere = createCohere6({ baseURL: `${url}/v2`, apiKey: token });
    const { ranking } = await rerank6({ model: cohere.reranking('rerank-v3.5'), query, documents });
    expectRanking(ranking.map(({ originalIndex, score }) => ({ index: originalIndex, score })));
  });

  it('the Cohere provider of AI SDK 7', async () => {
    const cohere = createCohere7({ baseURL: `${url}/v2`, apiKey: token });
    const { ranking } = await rerank7({ model: cohere.reranking('rerank-v3.5'), query, documents, topN: 2 });
    expectRanking(
      ranking.map(({ originalIndex, score }) => ({ index: originalIndex, score })),
      2,
    );
  });

  it.each([undefined, 3])('the Voyage and Together providers of AI SDK 6, with topN %s', async (topN) => {
    const at = { baseURL: `${url}/v1`, apiKey: token };
    for (const model of [
      createVoyage(at).reranking('rerank-2.5'),
      createTogetherAI(at).reranking('Salesforce/Llama-Rank-v1'),
    ]) {
      const { ranking } = await rerank6({ model, query, documents, ...(topN === undefined ? {} : { topN }) });
      expectRanking(
        ranking.map(({ originalIndex, score }) => ({ index: originalIndex, score })),
        topN,
      );
    }
  });

  it("LangChain's CohereRerank", async () => {
    // LangChain brings an older Cohere client of its own, which another package's types do not fit.
    const client = new CohereClient({ environment: url, token }) as never;
    const compressor = new CohereRerank({ client, model: 'rerank-english-v3.0', topN: 3 });
    const ranked = await compressor.rerank(documents, query);
    expectRanking(
      ranked.map(({ index, relevanceScore }) => ({ index, score: relevanceScore })),
      3,
    );
  });
});
