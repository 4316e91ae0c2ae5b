import type { AnyReranker } from '../../src/adapters/lazy-reranker.js';
import type { InputDocument, Reranking, RerankOptions } from '../../src/expansion/index.js';

/** Ranks by how many words of the query a document has, and remembers what it was asked. */
export class FakeReranker implements AnyReranker {
  readonly asked: { query: string; documents: readonly InputDocument[]; options: RerankOptions }[] = [];

  async rerank(
    query: string,
    documents: readonly InputDocument[],
    options: RerankOptions = {},
  ): Promise<Reranking> {
    this.asked.push({ query, documents, options });
    const words = query.split(' ');
    const results = documents
      .map(({ text }, index) => {
        const relevance = words.filter((word) => text.includes(word)).length / words.length;
        return { index, id: String(index), relevance, score: Math.log(relevance), certain: true };
      })
      .sort((a, b) => b.relevance - a.relevance)
      .slice(0, options.topK)
      .map((result, i) => ({ ...result, rank: i + 1 }));
    const phase = { pairs: 1, exhaustivePairs: 1, seconds: 0, tokens: 9, flops: 9 };
    const cost = { ...phase, bestPassage: phase, phaseOne: phase, phaseTwo: phase, phaseThree: phase };
    return {
      results,
      complete: true,
      cost,
      ...(options.explain ? { explanation: { query, id: '1', chunks: [], documents: [], cost } } : {}),
    };
  }
}

export const texts = ['bread and butter', 'a bridge sways in the wind', 'the wind'];
