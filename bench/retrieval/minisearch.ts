// node --import tsx bench/retrieval/minisearch.ts COLLECTION.jsonl QUERIES.tsv  (needs: npm ci --prefix bench/peers)
import { createRequire } from 'node:module';
import { readDocuments } from '../../src/collection/index.js';
import { latency, print, readQueryTexts } from './measure.js';

/** The part of MiniSearch that is used. It is installed under bench/peers only. */
interface MiniSearch {
  add(document: { id: string; title?: string; text: string }): void;
  search(query: string): unknown[];
}
const require = createRequire(new URL('../peers/package.json', import.meta.url));
const { default: MiniSearchClass } = (await import(require.resolve('minisearch'))) as {
  default: new (options: object) => MiniSearch;
};

const [collection, queryFile] = process.argv.slice(2);
const start = performance.now();
const index = new MiniSearchClass({ fields: ['title', 'text'], storeFields: [] });
let documents = 0;
for await (const { id, title, text } of readDocuments(collection, { format: 'jsonl' })) {
  index.add({ id, text, ...(title === undefined ? {} : { title }) });
  documents++;
}
const seconds = (performance.now() - start) / 1000;
print({ system: 'minisearch', step: 'index', documents, documentsPerSecond: documents / seconds });
await latency('minisearch', 'bm25+', readQueryTexts(queryFile), (text) => index.search(text).slice(0, 1000));
