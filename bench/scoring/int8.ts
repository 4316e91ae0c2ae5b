// node --import tsx bench/scoring/int8.ts [RESULT.json [weights]]
// The cost of int8 in quality: judged queries of public collections, their first candidates re-ranked by score alone. With
// `weights`, of the graph that WebGPU runs in int8, here on the CPU.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BertScorer, kendallTau, type Precision, type TextPair } from '../../src/bert/index.js';
import { type Qrels, readQrels, type Run } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { openSetting } from '../expansion/setting.js';
import { collectionFolder } from '../collections.js';
import { byteWeightScorer } from './byte-weights.js';
import { root } from './workload.js';

const SOURCES = ['cranfield', 'scifact', 'cisi', 'cacm', 'squad_dev'];
const MODELS = ['T', 'S'];
const ofWeights = process.argv[3] === 'weights';
const QUERIES = 40;
const CANDIDATES = 60;

/** The candidates of one query. */
interface List {
  readonly query: string;
  readonly ids: readonly string[];
  readonly pairs: readonly TextPair[];
}

export interface Int8Row {
  readonly collection: string;
  readonly model: string;
  readonly queries: number;
  readonly pairs: number;
  /** Kendall's τ between the margins of fp32 and int8: over all pairs, and the mean over queries. */
  readonly tau: number;
  readonly tauPerQuery: number;
  readonly ndcg: Readonly<Record<'fp32' | 'int8', number>>;
}

async function candidates(collection: string): Promise<{ lists: List[]; qrels: Qrels }> {
  const folder = collectionFolder(collection);
  const setting = await openSetting(folder, 0, QUERIES);
  const lists: List[] = [];
  for (const query of setting.queries) {
    const ids = (await setting.ranking(query)).slice(0, CANDIDATES).map(({ id }) => id);
    const documents = await setting.index.get(ids);
    const pairs = ids.map((id) => {
      const { title = '', text } = documents.get(id)!;
      return { a: query.text, b: `${title} ${text}` };
    });
    if (ids.length > 1) lists.push({ query: query.id, ids, pairs });
  }
  await setting.close();
  return { lists, qrels: await readQrels(join(folder, 'qrels.txt')) };
}

/** Margins have the order of probabilities but do not saturate. */
async function margins(model: string, precision: Precision, pairs: readonly TextPair[]): Promise<number[]> {
  const scorer =
    precision === 'int8' && ofWeights
      ? await byteWeightScorer(model)
      : await BertScorer.load({ model, precision, device: 'cpu' });
  const { values } = await scorer.scoreLogits(pairs);
  await scorer.close();
  return pairs.map((_, i) => values[2 * i + 1] - values[2 * i]);
}

/** Cuts the scores of all lists, one after the other, into those of each. */
function perList(lists: readonly List[], scores: readonly number[]): number[][] {
  let from = 0;
  return lists.map(({ ids }) => scores.slice(from, (from += ids.length)));
}

function ndcg(lists: readonly List[], scores: readonly number[][], qrels: Qrels): number {
  const run: Run = new Map(
    lists.map(({ query, ids }, list) => [
      query,
      ids
        .map((id, i) => ({ id, score: scores[list][i] }))
        .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1)),
    ]),
  );
  return evaluate(run, qrels, { measures: ['nDCG@20'] }).summary.get('nDCG@20')!;
}

const rows: Int8Row[] = [];
for (const collection of SOURCES) {
  const { lists, qrels } = await candidates(collection);
  const pairs = lists.flatMap((list) => list.pairs);
  for (const model of MODELS) {
    const [exact, bytes] = [await margins(model, 'fp32', pairs), await margins(model, 'int8', pairs)];
    const [x, y] = [perList(lists, exact), perList(lists, bytes)];
    const taus = x.map((list, i) => kendallTau(list, y[i]));
    rows.push({
      collection,
      model,
      queries: lists.length,
      pairs: pairs.length,
      tau: kendallTau(exact, bytes),
      tauPerQuery: taus.reduce((sum, tau) => sum + tau, 0) / taus.length,
      ndcg: { fp32: ndcg(lists, x, qrels), int8: ndcg(lists, y, qrels) },
    });
    process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
  }
}
const target = process.argv[2] ?? join(root, 'bench/results/scoring-int8.json');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify({ date: new Date().toISOString(), rows }, undefined, 2)}\n`);
