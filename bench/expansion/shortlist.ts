// node --import tsx bench/expansion/shortlist.ts [--documents 1000] [--depths 50,100,200] [--queries 16] [--models S,T]
//   [--single] [--results FILE]
//   (after npm run build; needs BERT_QE_COLLECTIONS)
//
// What nDCG@10 loses where phase one reads only the first of so many documents by their likeliest passages, on development
// collections: rankings without expansion. With `--single`, short documents are not joined to longer ones. Results go into a file, and an interrupted run goes on with the next collection.
// Writes a section of docs/benchmarks-expansion.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { BertScorer } from '../../src/bert/index.js';
import { readQrels } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { collectionFolder } from '../collections.js';
import { writeSections } from '../section.js';
import { COMPARED, writeCompared } from './compared-collections.js';
import { Remembering } from './remembering.js';
import { openSetting } from './setting.js';

const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000' },
    queries: { type: 'string', default: '16' },
    depths: { type: 'string', default: '50,100,200' },
    models: { type: 'string', default: 'S,T' },
    single: { type: 'boolean', default: false },
    results: { type: 'string' },
  },
});
const { documents, single } = values;
const kind = single ? ' of one passage' : '';
const { results = `bench/results/shortlist-${documents}${single ? '-single' : ''}.json` } = values;
const MEASURE = 'nDCG@10';
const ALL = 10_000;
const depths = [ALL, ...values.depths.split(',').map(Number)];
const models = values.models.split(',');

/** nDCG@10 and pairs of a query, at each depth. */
interface Outcome {
  readonly model: string;
  readonly documents: number;
  readonly ndcg: readonly number[];
  readonly pairs: readonly number[];
}

const rows: Record<string, Outcome[]> = existsSync(results)
  ? (JSON.parse(readFileSync(results, 'utf8')) as Record<string, Outcome[]>)
  : {};
const load = async (model: string) => new Remembering(await BertScorer.load({ model, device: 'cpu' }));
const scorers = { T: await load('T'), S: await load('S') };
const work = mkdtempSync(join(tmpdir(), 'bench-shortlist-'));
for (const made of COMPARED) {
  if (made.use !== 'development' || rows[made.name]) continue;
  const { parts, ...short } = made;
  if (single && !parts) continue;
  const folder = join(work, made.name);
  writeCompared(collectionFolder(made.name), single ? short : made, folder);
  const setting = await openSetting(folder, 0, Infinity);
  const qrels = await readQrels(join(folder, 'qrels.txt'));
  const relevant = setting.queries.filter(({ id }) =>
    [...qrels.get(id)!.values()].some((grade) => grade > 0),
  );
  const count = Math.min(Number(values.queries), relevant.length);
  const outcomes: Outcome[] = [];
  for (let i = 0; i < count; i++) {
    const query = relevant[Math.floor((i * relevant.length) / count)];
    const ranking = (await setting.ranking(query)).slice(0, Number(documents));
    const found = await setting.index.get(ranking.map(({ id }) => id));
    const inputs = ranking.map(({ id, score }) => {
      const { title, text } = found.get(id)!;
      return { id, score, text, ...(title === undefined ? {} : { title }) };
    });
    const judged = new Map([[query.id, qrels.get(query.id)!]]);
    for (const model of models) {
      const [ndcg, pairs]: [number[], number[]] = [[], []];
      for (const phaseOneDepth of depths) {
        const phaseOne = scorers[model as keyof typeof scorers];
        const bertQe = new BertQE({ bestPassage: scorers.T, phaseOne }, { expansion: false, phaseOneDepth });
        const { results: places, cost } = await bertQe.rerank(query.text, inputs);
        const run = new Map([[query.id, places.map(({ id, score }) => ({ id, score }))]]);
        ndcg.push(evaluate(run, judged, { measures: [MEASURE] }).summary.get(MEASURE)!);
        pairs.push(cost.pairs);
      }
      outcomes.push({ model, documents: ranking.length, ndcg, pairs });
    }
    for (const scorer of Object.values(scorers)) scorer.forget();
    process.stderr.write(`\r${made.name} ${i + 1} of ${count}`);
  }
  process.stderr.write('\n');
  await setting.close();
  rows[made.name] = outcomes;
  mkdirSync(dirname(results), { recursive: true });
  writeFileSync(results, JSON.stringify(rows));
}
rmSync(work, { recursive: true });
for (const scorer of Object.values(scorers)) await scorer.close();

const mean = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
/** The variance of the mean. */
const variance = (numbers: readonly number[]) =>
  mean(numbers.map((value) => (value - mean(numbers)) ** 2)) / (numbers.length - 1);
const told = (change: number, of: number) =>
  `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(4)} ± ${(1.96 * Math.sqrt(of)).toFixed(4)}`;
const changes = (outcomes: readonly Outcome[], at: number) => outcomes.map(({ ndcg }) => ndcg[at] - ndcg[0]);
const columns = depths.map((_, at) => at).slice(1);

function tableOf(model: string): string[] {
  const all = Object.entries(rows).map(
    ([name, outcomes]) => [name, outcomes.filter((each) => each.model === model)] as const,
  );
  const pairs = (at: number) => mean(all.flatMap(([, outcomes]) => outcomes.map((each) => each.pairs[at])));
  return [
    ...all.map(([name, outcomes]) => {
      const cells = columns.map((at) => told(mean(changes(outcomes, at)), variance(changes(outcomes, at))));
      const ranked = Math.round(mean(outcomes.map((each) => each.documents)));
      return `| ${model} | ${name} | ${outcomes.length} | ${ranked} | ${mean(outcomes.map(({ ndcg }) => ndcg[0])).toFixed(4)} | ${cells.join(' | ')} |`;
    }),
    `| **${model}** | **mean** | | | | ${columns
      .map((at) => {
        const sum = all.reduce((total, [, outcomes]) => total + variance(changes(outcomes, at)), 0);
        return told(mean(all.map(([, outcomes]) => mean(changes(outcomes, at)))), sum / all.length ** 2);
      })
      .join(' | ')} |`,
    `| ${model} | pairs | | | ${Math.round(pairs(0))} | ${columns.map((at) => Math.round(pairs(at))).join(' | ')} |`,
  ];
}
writeSections('docs/benchmarks-expansion.md', [
  `## How many of ${documents} documents${kind} phase one reads`,
  '',
  `\`node --import tsx bench/expansion/shortlist.ts --documents ${documents} --depths ${values.depths}${single ? ' --single' : ''}\`, at most ${values.queries} queries of a development collection, evenly drawn, without expansion. T scores the likeliest passage of each document of DPH+KL, at most ${documents}; phase one reads the first ones by that score and the initial one. nDCG@10 where it reads all documents, and differences from it with 95 % intervals over queries.`,
  '',
  `| phase one | collection | queries | documents | nDCG@10 | ${depths
    .slice(1)
    .map((depth) => `first ${depth}`)
    .join(' | ')} |`,
  `|---|---|---|---|---|${'---|'.repeat(columns.length)}`,
  ...models.flatMap(tableOf),
]);
