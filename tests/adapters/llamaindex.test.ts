import { MetadataMode, TextNode, type NodeWithScore } from '@llamaindex/core/schema';
import { describe, expect, it } from 'vitest';
import { BertQEPostprocessor } from '../../src/adapters/llamaindex.js';
import { FakeReranker, texts } from './fake-reranker.js';

const nodes: NodeWithScore[] = texts.map((text, i) => ({
  node: new TextNode({ text, metadata: { source: `file ${i}` } }),
  score: i,
}));

describe('the LlamaIndex postprocessor', () => {
  it('keeps the best nodes, two unless told otherwise, with their relevance as score', async () => {
    const reranker = new FakeReranker();
    const kept = await new BertQEPostprocessor({ reranker }).postprocessNodes(nodes, 'bridge wind');
    expect(kept.map(({ node, score }) => [node.id_, score])).toEqual([
      [nodes[1].node.id_, 1],
      [nodes[2].node.id_, 0.5],
    ]);
    expect(reranker.asked[0].documents[0].text).toContain('source: file 0');
    expect(reranker.asked[0].documents[0]).not.toHaveProperty('score');
  });

  it('reads what it is told to read, and weighs the scores of nodes in', async () => {
    const reranker = new FakeReranker();
    const postprocessor = new BertQEPostprocessor({
      reranker,
      metadataMode: MetadataMode.NONE,
      useScores: true,
      topN: 1,
    });
    expect(await postprocessor.postprocessNodes(nodes, 'bridge')).toHaveLength(1);
    expect(reranker.asked[0].documents).toEqual(texts.map((text, score) => ({ text, score })));
  });

  it('takes the words of a message, and refuses one without words', async () => {
    const reranker = new FakeReranker();
    const postprocessor = new BertQEPostprocessor({ reranker });
    await postprocessor.postprocessNodes(nodes, [
      { type: 'text', text: 'bridge' },
      { type: 'image_url', image_url: { url: 'data:' } },
      { type: 'text', text: 'wind' },
    ]);
    expect(reranker.asked[0].query).toBe('bridge\nwind');
    await expect(postprocessor.postprocessNodes(nodes)).rejects.toThrow('needs a query');
    expect(await postprocessor.postprocessNodes([])).toEqual([]);
  });
});
