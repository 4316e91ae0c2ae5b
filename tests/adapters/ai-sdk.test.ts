import type { ProviderV3, RerankingModelV3 } from '@ai-sdk/provider';
import { afterAll, describe, expect, it } from 'vitest';
import { bertQE, createBertQE } from '../../src/adapters/ai-sdk.js';
import { texts } from './fake-reranker.js';

const provider = createBertQE();
afterAll(() => provider.close());

// The compiler is the test: AI SDK 6 takes both.
const model: RerankingModelV3 = provider.rerankingModel('T');
const asProvider: ProviderV3 = provider;

const query = 'why does a bridge sway in the wind';

describe('the AI SDK provider', () => {
  it('re-ranks texts, best first, with probabilities', async () => {
    const { ranking, warnings, response } = await model.doRerank({
      query,
      documents: { type: 'text', values: texts },
    });
    expect(ranking.map(({ index }) => index)[0]).toBe(1);
    for (const { relevanceScore } of ranking) {
      expect(relevanceScore).toBeGreaterThan(0);
      expect(relevanceScore).toBeLessThan(1);
    }
    expect(warnings).toEqual([]);
    expect(response!.modelId).toBe('T');
  });

  it('gives the first topN, with its cost and, when asked, the explanation as metadata', async () => {
    const { ranking, providerMetadata } = await provider('TTT').doRerank({
      query,
      documents: { type: 'text', values: texts },
      topN: 1,
      providerOptions: { bertQe: { explain: true } },
    });
    expect(ranking).toHaveLength(1);
    expect(providerMetadata['bertQe']).toMatchObject({ complete: true, explanation: { query } });
  });

  it('reads title and text of objects, and warns of objects that it reads as JSON', async () => {
    const read = await model.doRerank({
      query,
      documents: { type: 'object', values: [{ text: texts[0] }, { title: 'Bridges', text: texts[1] }] },
    });
    expect(read.warnings).toEqual([]);
    expect(read.ranking[0].index).toBe(1);
    const written = await model.doRerank({
      query,
      documents: { type: 'object', values: [{ body: texts[0] }, { body: texts[1] }] },
    });
    expect(written.warnings).toMatchObject([{ type: 'compatibility', feature: 'object documents' }]);
  });

  it('weighs initial scores in', async () => {
    const own = createBertQE({ beta: 0 });
    const { ranking } = await own('T').doRerank({
      query,
      documents: { type: 'text', values: texts },
      providerOptions: { bertQe: { scores: [3, 1, 2] } },
    });
    expect(ranking).toEqual([
      { index: 0, relevanceScore: 3 },
      { index: 2, relevanceScore: 2 },
      { index: 1, relevanceScore: 1 },
    ]);
    await expect(
      own('T').doRerank({
        query,
        documents: { type: 'text', values: texts },
        providerOptions: { bertQe: { scores: [1] } },
      }),
    ).rejects.toThrow('scores has 1 numbers for 3 documents');
    await own.close();
  });

  it('stops when it is told to', async () => {
    const call = model.doRerank({
      query,
      documents: { type: 'text', values: texts },
      abortSignal: AbortSignal.abort(),
    });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
  });

  it('is version 3 unless told otherwise, and has no models of other kinds', () => {
    expect(bertQE('SST').specificationVersion).toBe('v3');
    expect(bertQE.specificationVersion).toBe('v3');
    expect(createBertQE({ specificationVersion: 'v4' })('SST').specificationVersion).toBe('v4');
    expect(() => bertQE('XYZ')).toThrow('"XYZ" is not a variant');
    expect(() => asProvider.languageModel('gpt')).toThrow('bert-qe has no language model "gpt"');
  });
});
