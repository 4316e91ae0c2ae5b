// node --import tsx bench/expansion/top-k.ts COLLECTION [--models TTT] [--top-k 20] [--queries 10] [--skip 0]
//     [--alpha A] [--beta B]
//   (after npm run build: the models' workers run from dist)
//
// Re-ranks the first 1000 documents of DPH+KL twice, once with every pair scored and once with exact top-k, checks that
// the first places are the same, and prints a JSON line per query. bench/expansion/summary.ts makes a table of them.
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import type { Query } from '../../src/collection/index.js';
import { BertQE, type Reranking, type RerankOptions } from '../../src/expansion/index.js';
import { rerankRun } from '../../src/runs/index.js';
import { openSetting } from './setting.js';
import type { TopKMeasurement } from './summary.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'TTT' },
    'top-k': { type: 'string', default: '20' },
    queries: { type: 'string', default: '10' },
    skip: { type: 'string', default: '0' },
    alpha: { type: 'string' },
    beta: { type: 'string' },
  },
});
const [collection] = positionals;
const topK = Number(values['top-k']);

type Timed = Reranking & { readonly processorSeconds: number };

const setting = await openSetting(collection, Number(values.skip), Number(values.queries));
const bertQe = await BertQE.load({
  models: values.models,
  passageChoice: 'exhaustive',
  ...(values.alpha === undefined ? {} : { alpha: Number(values.alpha) }),
  ...(values.beta === undefined ? {} : { beta: Number(values.beta) }),
});
const { alpha, beta } = bertQe.settings;
try {
  for (const query of setting.queries) {
    const run = new Map([[query.id, await setting.ranking(query)]]);
    const rerank = async (options: RerankOptions): Promise<Reranking> => {
      for await (const reranked of rerankRun(bertQe, [query], run, setting.index, options)) return reranked;
      throw new Error(`query ${query.id} gave nothing`);
    };
    print(query, await timed(() => rerank({ topK })), await timed(() => rerank({})));
  }
} finally {
  await bertQe.close();
  await setting.close();
}

/** Wall time is the caller's; processor time, of all threads together, is the fairer figure on a busy machine. */
async function timed(rerank: () => Promise<Reranking>): Promise<Timed> {
  const before = process.cpuUsage();
  const reranking = await rerank();
  const { user, system } = process.cpuUsage(before);
  return { ...reranking, processorSeconds: (user + system) / 1e6 };
}

function print(query: Query, pruned: Timed, exhaustive: Timed): void {
  const expected = exhaustive.results.slice(0, topK);
  const measurement: TopKMeasurement = {
    collection: basename(collection),
    models: values.models,
    topK,
    alpha,
    beta,
    query: query.id,
    documents: exhaustive.results.length,
    sameOrder: pruned.results.every(({ id }, i) => id === expected[i].id),
    scoreDifference: Math.max(...pruned.results.map(({ score }, i) => Math.abs(score - expected[i].score))),
    pruned: { ...pruned.cost, processorSeconds: pruned.processorSeconds },
    exhaustive: { ...exhaustive.cost, processorSeconds: exhaustive.processorSeconds },
  };
  process.stdout.write(`${JSON.stringify(measurement)}\n`);
}
