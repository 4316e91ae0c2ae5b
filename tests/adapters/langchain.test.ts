import { Document } from '@langchain/core/documents';
import { BaseDocumentCompressor } from '@langchain/core/retrievers/document_compressors';
import { describe, expect, it } from 'vitest';
import { BertQECompressor } from '../../src/adapters/langchain.js';
import { FakeReranker, texts } from './fake-reranker.js';

const documents = texts.map(
  (pageContent, i) => new Document({ pageContent, metadata: { source: i }, id: `d${i}` }),
);

describe('the LangChain compressor', () => {
  it('is one to LangChain', () => {
    expect(BaseDocumentCompressor.isBaseDocumentCompressor(new BertQECompressor())).toBe(true);
  });

  it('keeps the best documents with all that they carry, and their relevance', async () => {
    const compressor = new BertQECompressor({ reranker: new FakeReranker(), topN: 2 });
    const kept = await compressor.compressDocuments(documents, 'bridge wind');
    expect(kept.map(({ id, pageContent, metadata }) => ({ id, pageContent, metadata }))).toEqual([
      { id: 'd1', pageContent: texts[1], metadata: { source: 1, relevanceScore: 1 } },
      { id: 'd2', pageContent: texts[2], metadata: { source: 2, relevanceScore: 0.5 } },
    ]);
    expect(documents[1].metadata).toEqual({ source: 1 });
  });

  it('keeps three unless told otherwise, and ranks texts and objects, too', async () => {
    const reranker = new FakeReranker();
    const compressor = new BertQECompressor({ reranker });
    const ranking = await compressor.rerank(
      ['wind', { pageContent: 'bridge wind' }, documents[0], 'x'],
      'bridge wind',
    );
    expect(ranking.map(({ index }) => index)).toEqual([1, 0, 2]);
    expect(await compressor.rerank([], 'bridge')).toEqual([]);
    expect(reranker.asked).toHaveLength(1);
  });

  it('loads a model on first use', async () => {
    const compressor = new BertQECompressor({ reranker: { models: 'T' }, topN: 1 });
    const [best] = await compressor.compressDocuments(documents, 'why does a bridge sway in the wind');
    expect(best.id).toBe('d1');
    await compressor.close();
  });
});
