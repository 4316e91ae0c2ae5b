// A whole run, resumable: npm install bert-qe && node rerank-run.mjs COLLECTION OUT
// COLLECTION is a folder with corpus.jsonl and queries.jsonl. Stop it with Ctrl-C; the same command continues.
import {
  BertQE,
  buildIndex,
  createAnalyzer,
  Index,
  localReranker,
  readDocuments,
  readQueries,
  rerankToFile,
  retrievedRankings,
  Searcher,
} from 'bert-qe';

const [collection, out] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

await buildIndex(readDocuments(collection), {
  folder: `${out}.index`,
  analyzer: createAnalyzer({ base: 'anserini' }),
});
const index = Index.open(`${out}.index`);
const searcher = new Searcher(index);
const queries = await readQueries(collection);

const bertQe = await BertQE.load({ models: 'SST', depth: 30 });
try {
  const totals = await rerankToFile({
    // Inputs identify what the results depend on: a run with others is not continued.
    rankings: retrievedRankings(searcher, queries, { inputs: { 'first stage': searcher.model.name } }),
    reranker: localReranker(bertQe, index, { inputs: { collection, models: 'SST' } }),
    out,
    explanations: `${out}.explanations.jsonl`,
    signal: stop.signal,
    onResume: (finished) => console.log(`${finished} queries were finished before`),
    onProgress: ({ finished, phase }) => phase ?? console.log(`${finished} of ${queries.length}`),
  });
  console.log(`${totals.pairs} pairs in ${totals.seconds.toFixed(1)} s`);
} finally {
  await bertQe.close();
  await index.close();
}
