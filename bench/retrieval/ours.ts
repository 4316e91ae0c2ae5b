// node --import tsx bench/retrieval/ours.ts index|search COLLECTION.jsonl QUERIES.tsv OUTDIR
import { join } from 'node:path';
import { readDocuments } from '../../src/collection/index.js';
import {
  Bm25,
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Dph,
  Index,
  KL,
  QueryLikelihood,
  Rm3,
  Searcher,
} from '../../src/retrieval/index.js';
import { folderBytes, latency, print, readQueryTexts } from './measure.js';

const [step, collection, queryFile, out] = process.argv.slice(2);
const folder = join(out, 'bert-qe');

if (step === 'index') {
  const start = performance.now();
  const { statistics } = await buildIndex(readDocuments(collection, { format: 'jsonl' }), {
    folder,
    analyzer: createAnalyzer({ base: 'anserini' }),
  });
  print({
    system: 'bert-qe',
    step: 'index',
    documents: statistics.documents,
    documentsPerSecond: statistics.documents / ((performance.now() - start) / 1000),
    indexBytes: folderBytes(folder),
  });
} else {
  const index = Index.open(folder);
  const queries = readQueryTexts(queryFile);
  const searchers = {
    bm25: new Searcher(index, { model: new Bm25() }),
    'bm25+rm3': new Searcher(index, { model: new Bm25(), feedback: new Rm3() }),
    ql: new Searcher(index, { model: new QueryLikelihood() }),
    dph: new Searcher(index, { model: new Dph() }),
    'dph+kl': new Searcher(index, { model: new Dph(), feedback: new DivergenceFeedback(KL) }),
  };
  for (const [model, searcher] of Object.entries(searchers)) {
    await latency('bert-qe', model, queries, (text) => searcher.search({ id: 'q', text }, { depth: 1000 }));
  }
  await index.close();
}
