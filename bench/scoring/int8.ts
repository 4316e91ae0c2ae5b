// node --import tsx bench/scoring/int8.ts [NAME:USE…] [--models T,S] [--queries 80] [--out RESULT.json] [--weights] [--web]
//
// The cost of int8 in quality: judged queries of the named collections, or of all in the list, evenly drawn, their first 50
// candidates (of run.trec where the folder has one, else of DPH+KL) re-ranked by their best passages. Results of
// collections that are not measured now are kept. With `--weights`, of the graph that WebGPU runs in int8, here on the CPU;
// with `--web`, of the form of a model that pages download, in place of int8.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  BertScorer,
  convertModel,
  findModel,
  kendallTau,
  type Precision,
  type TextPair,
} from '../../src/bert/index.js';
import { type Qrels, readDocuments, readQrels, readQueries, type Run } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { settingsFrom } from '../../src/expansion/options.js';
import { passagesOf } from '../../src/expansion/passages.js';
import { collectionFolder } from '../collections.js';
import { openSetting } from '../expansion/setting.js';
import { byteWeightScorer } from './byte-weights.js';
import { root } from './workload.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'T,S' },
    queries: { type: 'string', default: '80' },
    out: { type: 'string', default: join(root, 'bench/results/scoring-int8.json') },
    weights: { type: 'boolean', default: false },
    web: { type: 'boolean', default: false },
  },
});
const CANDIDATES = 50;

/** Collections by use, with the file of judgements where it has another name. */
const COLLECTIONS = {
  development: {
    adi: '',
    squad_dev: '',
    obliqa: 'qrels.dev.txt',
    scifact: 'qrels.train.txt',
    'bioasq-snippets': '',
    perspectrum: '',
    'argkp-2021': '',
    'semeval2016-cqa-c': '',
  },
  test: {
    cranfield: '',
    cisi: '',
    cacm: '',
    npl: '',
    scifact: '',
    nfcorpus: '',
    acord: '',
    'trec-dl19-passage': '',
    'trec-dl20-passage': '',
  },
} as const;
const temporary = mkdtempSync(join(tmpdir(), 'bert-qe-int8-'));

/** A passage of a candidate of a query. */
interface Passage {
  readonly query: string;
  readonly document: string;
  readonly pair: TextPair;
}

export interface Int8Row {
  readonly collection: string;
  readonly use: keyof typeof COLLECTIONS;
  readonly model: string;
  readonly queries: number;
  readonly pairs: number;
  /** Kendall's τ between the margins of fp32 and int8: over all pairs, and the mean over queries. */
  readonly tau: number;
  readonly tauPerQuery: number;
  readonly ndcg: Readonly<Record<'fp32' | 'int8', number>>;
}

async function passages(folder: string, count: number, qrels: Qrels): Promise<Passage[]> {
  const judged = (await readQueries(folder)).filter(({ id }) =>
    [...(qrels.get(id)?.values() ?? [])].some((grade) => grade > 0),
  );
  const step = Math.max(1, Math.floor(judged.length / count));
  const queries = judged.filter((_, i) => i % step === 0).slice(0, count);
  const setting = await openSetting(folder, 0, 0);
  const documents = new Map<string, { readonly title?: string | undefined; readonly text: string }>();
  for await (const document of readDocuments(folder)) documents.set(document.id, document);
  const { passage } = settingsFrom();
  const found: Passage[] = [];
  for (const query of queries) {
    for (const { id } of (await setting.ranking(query)).slice(0, CANDIDATES)) {
      for (const b of passagesOf(documents.get(id)!, passage)) {
        found.push({ query: query.id, document: id, pair: { a: query.text, b } });
      }
    }
  }
  await setting.close();
  return found;
}

/** Margins have the order of probabilities but do not saturate. */
async function margins(model: string, precision: Precision, pairs: readonly TextPair[]): Promise<number[]> {
  if (precision === 'int8' && values.web) return margins(await webForm(model), 'fp32', pairs);
  const scorer =
    precision === 'int8' && values.weights
      ? await byteWeightScorer(model)
      : await BertScorer.load({ model, precision, device: 'cpu' });
  const { values: logits } = await scorer.scoreLogits(pairs);
  await scorer.close();
  return pairs.map((_, i) => logits[2 * i + 1] - logits[2 * i]);
}

/** The folder of a model as pages download it. */
async function webForm(model: string): Promise<string> {
  const folder = join(temporary, model);
  if (!existsSync(folder)) await convertModel(await findModel(model), folder, { format: 'web' });
  return folder;
}

/** The run by the best passage of each document. */
function maxPassage(found: readonly Passage[], scores: readonly number[]): Run {
  const best = new Map<string, Map<string, number>>();
  found.forEach(({ query, document }, i) => {
    const ofQuery = best.get(query) ?? new Map<string, number>();
    best.set(query, ofQuery.set(document, Math.max(ofQuery.get(document) ?? -Infinity, scores[i])));
  });
  return new Map(
    [...best].map(([query, documents]) => [
      query,
      [...documents]
        .map(([id, score]) => ({ id, score }))
        .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1)),
    ]),
  );
}

function tauPerQuery(found: readonly Passage[], x: readonly number[], y: readonly number[]): number {
  const places = new Map<string, number[]>();
  found.forEach(({ query }, i) => places.set(query, [...(places.get(query) ?? []), i]));
  const taus = [...places.values()].map((list) => {
    const of = (scores: readonly number[]) => list.map((i) => scores[i]);
    return kendallTau(of(x), of(y));
  });
  const known = taus.filter((tau) => !Number.isNaN(tau));
  return known.reduce((sum, tau) => sum + tau, 0) / known.length;
}

const listed = Object.entries(COLLECTIONS).flatMap(([use, names]) =>
  Object.entries(names).map(([name, judgements]) => ({ name, use: use as Int8Row['use'], judgements })),
);
let rows: Int8Row[] = existsSync(values.out)
  ? (JSON.parse(readFileSync(values.out, 'utf8')) as { rows: Int8Row[] }).rows
  : [];
mkdirSync(dirname(values.out), { recursive: true });
for (const { name, use, judgements } of listed) {
  if (positionals.length > 0 && !positionals.includes(`${name}:${use}`)) continue;
  const folder = collectionFolder(name);
  const qrels = await readQrels(join(folder, judgements || 'qrels.txt'));
  const found = await passages(folder, Number(values.queries), qrels);
  const pairs = found.map(({ pair }) => pair);
  for (const model of values.models.split(',')) {
    const [exact, bytes] = [await margins(model, 'fp32', pairs), await margins(model, 'int8', pairs)];
    const ndcg = (scores: readonly number[]) =>
      evaluate(maxPassage(found, scores), qrels, { measures: ['nDCG@20'] }).summary.get('nDCG@20')!;
    const row: Int8Row = {
      collection: name,
      use,
      model,
      queries: new Set(found.map(({ query }) => query)).size,
      pairs: pairs.length,
      tau: kendallTau(exact, bytes),
      tauPerQuery: tauPerQuery(found, exact, bytes),
      ndcg: { fp32: ndcg(exact), int8: ndcg(bytes) },
    };
    rows = [
      ...rows.filter((each) => each.collection !== name || each.use !== use || each.model !== model),
      row,
    ];
    writeFileSync(values.out, `${JSON.stringify({ date: new Date().toISOString(), rows }, undefined, 2)}\n`);
    process.stderr.write(`${JSON.stringify(row)}\n`);
  }
}
rmSync(temporary, { recursive: true });
