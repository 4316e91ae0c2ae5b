/**
 * Measures what README says a call costs: milliseconds for 100 documents and the memory of the process.
 *
 *   npm run --silent build && node bench/first-call/run.mjs [rounds]
 *
 * The documents are the first 100 articles of the demo (about 130 words each), the queries its own. Variants take
 * turns, and the median of the rounds is printed.
 */
import { readFileSync } from 'node:fs';
import { BertQE } from '../../dist/index.js';

const rounds = Number(process.argv[2] ?? 7);
const lines = (name) =>
  readFileSync(new URL(`../../demo/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const documents = lines('corpus.jsonl').slice(0, 100);
const queries = lines('queries.jsonl');
const words = documents.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0) / documents.length;
console.log(
  `${documents.length} documents of ${words.toFixed(0)} words, topK 10, median of ${rounds} queries`,
);

const variants = ['T', 'TTT', 'S', 'SST'];
const rerankers = new Map();
for (const models of variants) {
  const start = performance.now();
  rerankers.set(models, await BertQE.load({ models }));
  console.log(`load ${models}: ${(performance.now() - start).toFixed(0)} ms`);
}
const times = new Map(variants.map((name) => [name, []]));
for (let round = -1; round < rounds; round++) {
  const { text } = queries[(round + queries.length) % queries.length];
  for (const [name, reranker] of rerankers) {
    const start = performance.now();
    await reranker.rerank(text, documents, { topK: 10 });
    // The first round warms up.
    if (round >= 0) times.get(name).push(performance.now() - start);
  }
}
for (const [name, values] of times) {
  const median = values.toSorted((a, b) => a - b)[values.length >> 1];
  console.log(`${name}: ${median.toFixed(0)} ms`);
}
console.log(`memory: ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB with all of them loaded`);
await Promise.all([...rerankers.values()].map((reranker) => reranker.close()));
