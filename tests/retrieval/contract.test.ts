import { buildIndex, createAnalyzer, Index, Searcher } from '../../src/retrieval/index.js';
import { contractDocuments, retrieverContract } from '../contracts/retriever.js';
import { temporaryFolder } from '../support/folders.js';

async function* documents() {
  yield* contractDocuments;
}

retrieverContract('The embedded index', async () => {
  const folder = temporaryFolder();
  await buildIndex(documents(), { folder, analyzer: createAnalyzer({ base: 'anserini' }) });
  const index = Index.open(folder);
  return { retriever: new Searcher(index), store: index, close: () => index.close() };
});
