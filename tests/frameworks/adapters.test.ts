import { ContextualCompressionRetriever } from '@langchain/classic/retrievers/contextual_compression';
import { BaseRetriever as LangChainRetriever } from '@langchain/core/retrievers';
import { rerank as rerank6, createProviderRegistry as createRegistry6 } from 'ai';
import { rerank as rerank7, createProviderRegistry as createRegistry7 } from 'ai-v7';
import { Document, genkit } from 'genkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBertQE } from '../../src/adapters/ai-sdk.js';
import { defineBertQE } from '../../src/adapters/genkit.js';
import { BertQECompressor } from '../../src/adapters/langchain.js';
import { BertQE } from '../../src/expansion/index.js';
import { documents, expectedRanking, query } from './support.js';

let expected: { index: number; relevanceScore: number }[];
let reranker: BertQE;

beforeAll(async () => {
  expected = await expectedRanking('TTT');
  reranker = await BertQE.load({ models: 'TTT' });
});

afterAll(() => reranker.close());

function best(count: number): string[] {
  return expected.slice(0, count).map(({ index }) => documents[index]);
}

describe('the adapters inside the real frameworks', () => {
  it("one provider in AI SDK 6's and AI SDK 7's rerank(), by itself and through a registry, without a warning", async () => {
    const warn = vi.spyOn(console, 'warn');
    const bertQE = createBertQE();
    const request = { query, documents, topN: 3 };
    for (const { rerankedDocuments, ranking } of [
      await rerank6({ model: bertQE('TTT'), ...request }),
      await rerank6({
        model: createRegistry6({ local: bertQE }).rerankingModel('local:TTT'),
        ...request,
      }),
      await rerank7({ model: bertQE('TTT'), ...request }),
      await rerank7({
        model: createRegistry7({ local: bertQE }).rerankingModel('local:TTT'),
        ...request,
      }),
    ]) {
      expect(rerankedDocuments).toEqual(best(3));
      expect(ranking[0].score).toBeCloseTo(expected[0].relevanceScore, 6);
    }
    expect(warn).not.toHaveBeenCalled();
    await bertQE.close();
  });

  it("version 4 of the specification in AI SDK 7's rerank()", async () => {
    const bertQE = createBertQE({ specificationVersion: 'v4' });
    const { ranking, providerMetadata } = await rerank7({
      model: createRegistry7({ local: bertQE }).rerankingModel('local:TTT'),
      query,
      documents: documents.map((text) => ({ text })),
      providerOptions: { bertQe: { explain: true } },
    });
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual(expected.map(({ index }) => index));
    expect(providerMetadata?.['bertQe']).toMatchObject({ complete: true, explanation: { query } });
    await bertQE.close();
  });

  it('AI SDK 7 stops it by its signal', async () => {
    const bertQE = createBertQE();
    await bertQE('TTT').doRerank({ query, documents: { type: 'text', values: documents } });
    const abort = new AbortController();
    const call = rerank7({
      model: bertQE('TTT'),
      query,
      documents: Array.from({ length: 500 }, (_, i) => `${i} ${documents[i % documents.length]}`),
      abortSignal: abort.signal,
    });
    setTimeout(() => abort.abort(), 50);
    await expect(call).rejects.toThrow();
    await bertQE.close();
  });

  it("LangChain's ContextualCompressionRetriever", async () => {
    class FirstStage extends LangChainRetriever {
      lc_namespace = ['tests'];

      override async _getRelevantDocuments() {
        return documents.map((pageContent, i) => ({ pageContent, metadata: { source: i } }));
      }
    }
    const retriever = new ContextualCompressionRetriever({
      baseRetriever: new FirstStage(),
      baseCompressor: new BertQECompressor({ reranker, topN: 2 }),
    });
    const found = await retriever.invoke(query);
    expect(found.map(({ pageContent }) => pageContent)).toEqual(best(2));
    expect(found[0].metadata['relevanceScore']).toBeCloseTo(expected[0].relevanceScore, 6);
  });

  it("Genkit's rerank()", async () => {
    const ai = genkit({});
    const { action, name } = defineBertQE(ai, { reranker });
    const request = {
      query,
      documents: documents.map((text) => Document.fromText(text, { from: text.length })),
    };
    const byName = await ai.rerank({ ...request, reranker: name, options: { k: 3 } });
    expect(byName.map(({ text }) => text)).toEqual(best(3));
    expect(byName[0].score()).toBeCloseTo(expected[0].relevanceScore, 6);
    expect(byName[0].metadata['from']).toBe(byName[0].text.length);
    const byAction = await ai.rerank({ ...request, reranker: action });
    expect(byAction).toHaveLength(documents.length);
  });
});
