// node --import tsx bench/expansion/controls.ts COLLECTION RESULTS [--queries 20] [--rounds 3]
//   (after npm run build, and after an experiment with controls: COLLECTION is its folder of documents, RESULTS that of its results)
//
// Seconds per query of each system of experiments/controls.yaml: the models of the first fold, the candidates of BM25+RM3 down
// to depth 50. Systems take turns, round by round; prints the median over rounds of the mean time of a query.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readQrels, readQueries, readRun, type Query } from '../../src/collection/index.js';
import { Cedr, Nprf, Snrm } from '../../src/controls/index.js';
import { BertQE, Birch, type InputDocument } from '../../src/expansion/index.js';
import { Bm25, Index, Rm3, Searcher } from '../../src/retrieval/index.js';
import { withTexts } from '../../src/runs/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { queries: { type: 'string', default: '20' }, rounds: { type: 'string', default: '3' } },
});
const [collection, results] = positionals as [string, string];
const depth = 50;

const models = join(results, 'work/models');
const modelOf = (beginning: string): string => {
  const name = readdirSync(models).find((each) => each.startsWith(beginning));
  if (name === undefined) throw new Error(`${models} has no model ${beginning}…`);
  return join(models, name);
};
const index = Index.open(join(results, 'work/index-anserini'));
const judged = await readQrels(join(collection, 'qrels.txt'));
const all = (await readQueries(collection)).filter(({ id }) => judged.has(id));
const step = Math.max(1, Math.floor(all.length / Number(values.queries)));
const queries = all.filter((_, i) => i % step === 0).slice(0, Number(values.queries));
const run = await readRun(join(results, 'runs/BM25+RM3.run'));
const documentsOf = new Map<string, readonly InputDocument[]>();
for (const query of queries) {
  documentsOf.set(query.id, await withTexts(query, (run.get(query.id) ?? []).slice(0, depth), index));
}

const size = modelOf('T-fold1');
const precision = 'fp32';
const maxP = await BertQE.load({ models: { phaseOne: size }, precision, expansion: false });
const bertQe = await BertQE.load({
  models: { phaseOne: size, phaseTwo: size, phaseThree: size },
  precision,
  kc: 5,
  chunkWords: 50,
});
const birch = await Birch.load({ model: size, precision });
const cedr = await Cedr.load({ model: modelOf('CEDR-KNRM-T-fold1') });
const nprf = await Nprf.load({ model: modelOf('NPRF-DRMM-fold1') });
const snrm = await Snrm.load({ model: modelOf('SNRM-') });
const expanded = await Snrm.load({ model: modelOf('SNRM-'), feedback: {} });
const searcher = new Searcher(index, { model: new Bm25(), feedback: new Rm3() });

const systems: Readonly<Record<string, (query: Query) => Promise<unknown>>> = {
  'BM25+RM3': (query) => searcher.search(query),
  'T (MaxP)': ({ id, text }) => maxP.rerank(text, documentsOf.get(id)!),
  'Birch-T': ({ id, text }) => birch.rerank(text, documentsOf.get(id)!),
  'CEDR-KNRM-T': ({ id, text }) => cedr.rerank(text, documentsOf.get(id)!),
  'NPRF-DRMM': ({ id, text }) => nprf.rerank(text, documentsOf.get(id)!),
  SNRM: (query) => snrm.search(query),
  'SNRM+PRF': (query) => expanded.search(query),
  'BERT-QE-TTT': ({ id, text }) => bertQe.rerank(text, documentsOf.get(id)!),
};

const seconds = new Map<string, number[]>(Object.keys(systems).map((name) => [name, []]));
// The first round is for caches and compilers.
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [name, rank] of Object.entries(systems)) {
    const started = performance.now();
    for (const query of queries) await rank(query);
    if (round > 0) seconds.get(name)!.push((performance.now() - started) / 1000 / queries.length);
  }
}
process.stdout.write(`${queries.length} queries, ${availableParallelism()} threads\n`);
for (const [name, each] of seconds) {
  const sorted = each.toSorted((a, b) => a - b);
  process.stdout.write(`${name.padEnd(12)} ${sorted[sorted.length >> 1]!.toFixed(4)} s a query\n`);
}
for (const one of [maxP, bertQe, birch, cedr, nprf, snrm, expanded]) await one.close();
await index.close();
