// LlamaIndex.TS: npm install llamaindex bert-qe && node llamaindex.mjs
import { BertQEPostprocessor } from 'bert-qe/llamaindex';
import { BaseRetriever, RetrieverQueryEngine, TextNode } from 'llamaindex';
import { documents, question } from './documents.mjs';

/** Stands for your index's `asRetriever()`. */
class FirstStage extends BaseRetriever {
  async _retrieve() {
    return documents.map((text, i) => ({ node: new TextNode({ text }), score: 1 - i / 10 }));
  }
}

/** Stands for a language model that answers from the nodes. */
const showNodes = {
  synthesize: async ({ nodes }) => ({ message: { content: '', role: 'assistant' }, sourceNodes: nodes }),
};

const reranker = new BertQEPostprocessor({ reranker: { models: 'SST' }, topN: 3 });
const engine = new RetrieverQueryEngine(new FirstStage(), /** @type {never} */ (showNodes), [reranker]);
const { sourceNodes } = await engine.query({ query: question });
for (const { node, score } of sourceNodes) console.log(score.toFixed(3), node.text);
await reranker.close();
