// LangChain.js: npm install @langchain/core @langchain/classic bert-qe && node langchain.mjs
import { ContextualCompressionRetriever } from '@langchain/classic/retrievers/contextual_compression';
import { BaseRetriever } from '@langchain/core/retrievers';
import { BertQECompressor } from 'bert-qe/langchain';
import { documents, question } from './documents.mjs';

/** Stands for your vector store's `asRetriever()`. */
class FirstStage extends BaseRetriever {
  lc_namespace = ['examples'];

  async _getRelevantDocuments() {
    return documents.map((pageContent, i) => ({ pageContent, metadata: { source: i } }));
  }
}

const compressor = new BertQECompressor({ reranker: { models: 'SST' }, topN: 3 });
const retriever = new ContextualCompressionRetriever({
  baseRetriever: new FirstStage(),
  baseCompressor: compressor,
});
for (const { metadata, pageContent } of await retriever.invoke(question)) {
  console.log(metadata.relevanceScore.toFixed(3), pageContent);
}
await compressor.close();
