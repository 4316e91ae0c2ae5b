// node --import tsx bench/expansion/quality.ts [--queries 40] [--models SST,TTT] [--use development,test]
//   [--collections NAME:USE,…] [--depths 20,40] [--results FILE] [FILE…]
//   (after npm run build; a part of npm run bench:expansion)
//
// BERT-QE by default beside the paper's way (fp32, every passage scored by phase one's model, every document read by phase
// three): nDCG@10 of the first 10 places, nDCG@20 of the first 20, of 100 documents. `--depths` compares other numbers of
// documents that phase three reads. Results go into a file, which keeps those of collections that are not measured now;
// files that are named are only reported. Writes a section of docs/benchmarks-expansion.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BertScorer } from '../../src/bert/index.js';
import { readQrels, type Qrels } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { BertQE, chooseModels, eachPhase, type Reranking } from '../../src/expansion/index.js';
import { collectionFolder } from '../collections.js';
import { writeSections } from '../section.js';
import { COMPARED, nameOf, writeCompared } from './compared-collections.js';
import { Remembering } from './remembering.js';
import { openSetting, type Setting } from './setting.js';

const { values, positionals: reported } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: 'string', default: '40' },
    models: { type: 'string', default: 'SST,TTT' },
    use: { type: 'string', default: 'development,test' },
    collections: { type: 'string' },
    depths: { type: 'string', default: '' },
    results: { type: 'string', default: 'bench/results/expansion-quality.json' },
  },
});
const DEPTH = 100;
const CUTOFFS = [10, 20] as const;
const depths = values.depths === '' ? [] : values.depths.split(',').map(Number);

/** A way, and what it gave for each query: nDCG at each cutoff, pairs of the last. */
interface Way {
  readonly name: string;
  readonly outcomes: { readonly ndcg: readonly number[]; readonly pairs: number }[];
}

interface Row {
  readonly collection: string;
  readonly use: string;
  readonly documents: string;
  readonly models: string;
  /** The paper's way first. */
  readonly ways: readonly Way[];
}

const loaded = new Map<string, Remembering>();

async function model(letter: string, precision: 'auto' | 'fp32'): Promise<Remembering> {
  const name = `${letter} ${precision}`;
  const known = loaded.get(name);
  if (known) return known;
  const scorer = new Remembering(await BertScorer.load({ model: letter, precision, device: 'cpu' }));
  loaded.set(name, scorer);
  return scorer;
}

async function reranker(models: string, isPublished: boolean, expansionDepth?: number): Promise<BertQE> {
  const passageChoice = isPublished ? 'exhaustive' : 'cascade';
  const { models: names } = chooseModels(models, { passageChoice });
  const scorers = new Map<string, Remembering>();
  for (const name of Object.values(names)) {
    scorers.set(name as string, await model(name as string, isPublished ? 'fp32' : 'auto'));
  }
  return new BertQE(
    eachPhase((phase) => scorers.get(names[phase] as string)!),
    { passageChoice, expansionDepth },
  );
}

async function measured(setting: Setting, qrels: Qrels, models: string): Promise<Way[]> {
  const relevant = setting.queries.filter(({ id }) =>
    [...qrels.get(id)!.values()].some((grade) => grade > 0),
  );
  const step = Math.max(1, Math.floor(relevant.length / Number(values.queries)));
  const queries = relevant.filter((_, i) => i % step === 0).slice(0, Number(values.queries));
  const [paper, ours] = [await reranker(models, true), await reranker(models, false)];
  const cut = await Promise.all(depths.map((depth) => reranker(models, false, depth)));
  const ways: Way[] = ['paper', 'default', ...depths.map((depth) => `phase three reads ${depth}`)].map(
    (name) => ({ name, outcomes: [] }),
  );
  for (const query of queries) {
    const ranking = (await setting.ranking(query)).slice(0, DEPTH);
    const documents = await setting.index.get(ranking.map(({ id }) => id));
    const inputs = ranking.map(({ id, score }) => {
      const { title, text } = documents.get(id)!;
      return { id, score, text, ...(title === undefined ? {} : { title }) };
    });
    const ndcg = ({ results }: Reranking, cutoff: number): number => {
      const run = new Map([[query.id, results.map(({ id, score }) => ({ id, score }))]]);
      const measure = `nDCG@${cutoff}`;
      const judged = new Map([[query.id, qrels.get(query.id)!]]);
      return evaluate(run, judged, { measures: [measure] }).summary.get(measure)!;
    };
    const whole = async (bertQe: BertQE) => {
      const reranking = await bertQe.rerank(query.text, inputs);
      return { ndcg: CUTOFFS.map((cutoff) => ndcg(reranking, cutoff)), pairs: reranking.cost.pairs };
    };
    ways[0].outcomes.push(await whole(paper));
    const first = await Promise.all(CUTOFFS.map((topK) => ours.rerank(query.text, inputs, { topK })));
    ways[1].outcomes.push({
      ndcg: CUTOFFS.map((cutoff, i) => ndcg(first[i], cutoff)),
      pairs: first.at(-1)!.cost.pairs,
    });
    for (const [i, bertQe] of cut.entries()) ways[2 + i].outcomes.push(await whole(bertQe));
    for (const each of loaded.values()) each.forget();
  }
  return ways;
}

/** The mean and its variance. */
function meanOf(numbers: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (numbers.length - 1) / numbers.length };
}

function rowsOf(file: string): Row[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Row[]) : [];
}

function isSame(a: Row, b: Row): boolean {
  return keyOf(a) === keyOf(b);
}

function keyOf({ collection, use, models }: Row): string {
  return [collection, use, models].join(' ');
}

let rows: Row[] = (reported.length > 0 ? reported : [values.results]).flatMap(rowsOf);
const wanted = values.collections?.split(',');
const work = mkdtempSync(join(tmpdir(), 'bench-quality-'));
try {
  for (const made of reported.length > 0 ? [] : COMPARED) {
    if (!(wanted ? wanted.includes(nameOf(made)) : values.use.split(',').includes(made.use))) continue;
    const folder = join(work, nameOf(made));
    writeCompared(collectionFolder(made.name), made, folder);
    const setting = await openSetting(folder, 0, Infinity);
    const qrels = await readQrels(join(folder, 'qrels.txt'));
    for (const models of values.models.split(',')) {
      const { name: collection, use, documents } = made;
      const row: Row = { collection, use, documents, models, ways: await measured(setting, qrels, models) };
      rows = [...rows.filter((each) => !isSame(each, row)), row];
      mkdirSync('bench/results', { recursive: true });
      writeFileSync(values.results, JSON.stringify(rows));
      for (const way of row.ways.slice(1)) process.stderr.write(`${line(row, way)}\n`);
    }
    await setting.close();
  }
} finally {
  rmSync(work, { recursive: true });
}
await Promise.all([...loaded.values()].map((scorer) => scorer.close()));

function differences({ ways: [paper] }: Row, { outcomes }: Way, cutoff: number) {
  return meanOf(outcomes.map(({ ndcg }, i) => ndcg[cutoff] - paper.outcomes[i].ndcg[cutoff]));
}

function told({ mean, variance }: ReturnType<typeof meanOf>): string {
  return `${mean < 0 ? '−' : '+'}${Math.abs(mean).toFixed(4)} ± ${(1.96 * Math.sqrt(variance)).toFixed(4)}`;
}

function line(row: Row, way: Way): string {
  const [paper] = row.ways;
  const pairs = ({ outcomes }: Way) => meanOf(outcomes.map((outcome) => outcome.pairs)).mean;
  const cells = CUTOFFS.flatMap((_, cutoff) => [
    meanOf(paper.outcomes.map(({ ndcg }) => ndcg[cutoff])).mean.toFixed(4),
    told(differences(row, way, cutoff)),
  ]);
  return (
    `| ${row.collection} | ${row.documents} | ${row.models} | ${way.outcomes.length} | ${cells.join(' | ')} | ` +
    `${((100 * pairs(way)) / pairs(paper)).toFixed(0)} % |${way.name === 'default' ? '' : ` ${way.name}`}`
  );
}

/** The mean over collections, each of which counts the same. */
function mean(own: readonly Row[], of: (row: Row) => Way, cutoff: number): string {
  const found = own.map((row) => differences(row, of(row), cutoff));
  return told({
    mean: found.reduce((sum, each) => sum + each.mean, 0) / own.length,
    variance: found.reduce((sum, each) => sum + each.variance, 0) / own.length ** 2,
  });
}

const rowsFor = (models: string, use: string) =>
  COMPARED.filter((made) => made.use === use).flatMap(({ name }) =>
    rows.filter((row) => row.collection === name && row.use === use && row.models === models),
  );
const groups = values.models
  .split(',')
  .flatMap((models) => values.use.split(',').map((use) => ({ models, use, own: rowsFor(models, use) })))
  .filter(({ own }) => own.length > 0);
const counts = rows.map(({ ways: [{ outcomes }] }) => outcomes.length);
const others = [...new Set(rows.flatMap(({ ways }) => ways.slice(2).map(({ name }) => name)))];
writeSections('docs/benchmarks-expansion.md', [
  '## The default beside the paper’s way',
  '',
  `\`node --import tsx bench/expansion/quality.ts\`, at most ${Math.max(...counts)} queries of a collection, evenly drawn. The first ${DEPTH} documents of DPH+KL, or of the run that comes with a test collection, are re-ranked. ` +
    'The paper’s way: models in fp32, the model of phase one scores every passage, phase three reads every document. By default: S in int8 where that is as good, best passages in a cascade, phase one reads 64 of 100 documents for ten places, and phase three twice as many as are wanted. ' +
    'nDCG@10 is of `topK: 10`, nDCG@20 of `topK: 20`. Differences are default − paper’s way with 95 % intervals over queries; pairs are those of `topK: 20`, a share of the paper’s way. Nothing was chosen on test collections.',
  '',
  '| collection | documents | models | queries | nDCG@10 | difference | nDCG@20 | difference | pairs |',
  '|---|---|---|---|---|---|---|---|---|',
  ...groups.flatMap(({ models, use, own }) => [
    ...own.map((row) => line(row, row.ways[1])),
    `| **mean, ${use}** | | **${models}** | | | ${CUTOFFS.map((_, i) => mean(own, ({ ways }) => ways[1], i)).join(' | | ')} | |`,
  ]),
  ...(others.length === 0
    ? []
    : [
        '',
        'Other numbers of documents that phase three reads, on development collections (means, differences from the paper’s way):',
        '',
        '| models | documents read | nDCG@10 | nDCG@20 |',
        '|---|---|---|---|',
        ...values.models.split(',').flatMap((models) => {
          const own = rowsFor(models, 'development').filter(({ ways }) => ways.length > 2);
          return others.map((name) => {
            const of = (row: Row) => row.ways.find((way) => way.name === name)!;
            return `| ${models} | ${name.split(' ').at(-1)} | ${CUTOFFS.map((_, i) => mean(own, of, i)).join(' | ')} |`;
          });
        }),
      ]),
]);
