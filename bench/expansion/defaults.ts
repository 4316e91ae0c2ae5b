// node --import tsx bench/expansion/defaults.ts [--queries 80] [--variants SST,TTT] [--results bench/results/defaults]
//   (after npm run build; needs BERT_QE_COLLECTIONS)
//
// How α, β, kc and m are chosen. The rule: of the settings that lose at most .001 of nDCG@20 against MaxP on each collection
// whose queries have one relevant document or two, the one with the largest mean nDCG@20 on the collections with many. Every
// collection counts the same; MaxP has the β of the setting. Models score every query once, and their scores
// are kept in the folder of results, so that an interrupted run goes on. Prints the tables of docs/models.md.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BertScorer } from '../../src/bert/index.js';
import { readQrels, type Qrels } from '../../src/collection/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { DEFAULTS } from '../../src/expansion/defaults.js';
import { combine, expansionScore, interpolate, softmax } from '../../src/expansion/equations.js';
import { collectionFolder } from '../collections.js';
import { writeCompared, type ComparedCollection } from './compared-collections.js';
import { Remembering } from './remembering.js';
import { openSetting, type Setting } from './setting.js';

const { values } = parseArgs({
  options: {
    queries: { type: 'string', default: '80' },
    variants: { type: 'string', default: 'SST,TTT' },
    results: { type: 'string', default: 'bench/results/defaults' },
  },
});
const DEPTH = 100;
const CUTOFF = 20;
const TOLERANCE = 0.001;
const LENGTHS = [10, 30, 50];
const COUNTS = [3, 5, 10];
const ALPHAS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4];
const BETAS = [0.8, 0.85, 0.9, 0.95, 1];

/** A development collection with documents as they are; `has` is how many relevant documents a query has. */
interface Development extends Pick<ComparedCollection, 'name' | 'queries' | 'judgements'> {
  readonly has: 'one' | 'many';
  /** Half of its queries, by a hash of their ids, trained the models (training/evalsets.py); they are left out. */
  readonly trained?: true;
}
const COLLECTIONS: readonly Development[] = [
  { name: 'nfcorpus', has: 'many', queries: 'queries.all.jsonl', judgements: 'qrels/dev.tsv' },
  { name: 'bioasq-snippets', has: 'many', trained: true },
  { name: 'perspectrum', has: 'many', trained: true },
  { name: 'argkp-2021', has: 'many', trained: true },
  { name: 'semeval2016-cqa-c', has: 'many' },
  { name: 'squad_dev', has: 'one' },
  { name: 'obliqa', has: 'one', judgements: 'qrels.dev.txt' },
  { name: 'scifact', has: 'one', judgements: 'qrels.train.txt' },
];

/** What the models say about a query: everything that α, β and kc combine. */
interface Scores {
  readonly initial: readonly number[];
  readonly grades: readonly number[];
  /** DCG of the best ranking. */
  readonly ideal: number;
  readonly query: readonly number[];
  /** For each length m: rel(q,c) of the best chunks, and rel(c,d) by document. */
  readonly chunks: readonly { readonly query: readonly number[]; readonly documents: readonly number[][] }[];
}

const models = new Map<string, Remembering>();
async function model(letter: string): Promise<Remembering> {
  const known =
    models.get(letter) ?? new Remembering(await BertScorer.load({ model: letter, device: 'cpu' }));
  models.set(letter, known);
  return known;
}

const gain = (grade: number, place: number) => grade / Math.log2(place + 2);

const isTrained = (id: string) => createHash('sha1').update(id).digest().at(-1)! % 2 === 0;

async function scoresOf(setting: Setting, qrels: Qrels, variant: string, trained = false): Promise<Scores[]> {
  const relevant = setting.queries.filter(
    ({ id }) => [...qrels.get(id)!.values()].some((level) => level > 0) && !(trained && isTrained(id)),
  );
  const count = Math.min(Number(values.queries), relevant.length);
  const queries = Array.from(
    { length: count },
    (_, i) => relevant[Math.floor((i * relevant.length) / count)],
  );
  const [one, two, three] = await Promise.all(Array.from(variant, model));
  const scorers = { phaseOne: one, phaseTwo: two, phaseThree: three };
  const rerankers = LENGTHS.map(
    (chunkWords) => new BertQE(scorers, { kc: Math.max(...COUNTS), chunkWords, passageChoice: 'exhaustive' }),
  );
  const found: Scores[] = [];
  for (const query of queries) {
    const ranking = (await setting.ranking(query)).slice(0, DEPTH);
    if (ranking.length === 0) continue;
    const documents = await setting.index.get(ranking.map(({ id }) => id));
    const inputs = ranking.map(({ id, score }) => ({
      id,
      score,
      title: documents.get(id)!.title ?? '',
      text: documents.get(id)!.text,
    }));
    const judged = qrels.get(query.id)!;
    const evidences = [];
    for (const reranker of rerankers) evidences.push(await reranker.evidence(query.text, inputs));
    const levels = [...judged.values()].filter((level) => level > 0).sort((a, b) => b - a);
    found.push({
      initial: ranking.map(({ score }) => score),
      grades: ranking.map(({ id }) => Math.max(0, judged.get(id) ?? 0)),
      ideal: levels.slice(0, CUTOFF).reduce((sum, level, i) => sum + gain(level, i), 0),
      query: evidences[0].candidates.map(({ queryScore }) => queryScore!),
      chunks: evidences.map(({ chunks, candidates }) => ({
        query: chunks!.map(({ score }) => score),
        documents: candidates.map(({ chunkScores }) => chunkScores as number[]),
      })),
    });
    for (const each of models.values()) each.forget();
    process.stderr.write(`\r${variant} ${found.length} of ${count} queries`);
  }
  process.stderr.write('\n');
  return found;
}

async function gather(made: Development, variant: string): Promise<Scores[]> {
  const file = join(values.results, `${made.name}-${variant}.json`);
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Scores[];
  process.stderr.write(`${made.name}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'bench-defaults-'));
  try {
    writeCompared(collectionFolder(made.name), { ...made, use: 'development', documents: '' }, folder);
    const setting = await openSetting(folder, 0, Infinity);
    const scores = await scoresOf(setting, await readQrels(join(folder, 'qrels.txt')), variant, made.trained);
    await setting.close();
    mkdirSync(values.results, { recursive: true });
    writeFileSync(file, JSON.stringify(scores));
    return scores;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function ndcg({ grades, ideal }: Scores, final: readonly number[]): number {
  const order = final.map((_, i) => i).sort((a, b) => final[b] - final[a] || a - b);
  return order.slice(0, CUTOFF).reduce((sum, i, place) => sum + gain(grades[i], place), 0) / ideal;
}

const maxP = (scores: Scores, beta: number) =>
  ndcg(
    scores,
    scores.query.map((relevance, i) => interpolate(relevance, scores.initial[i], beta)),
  );

interface Choice {
  readonly kc: number;
  /** The place of m in LENGTHS. */
  readonly length: number;
  readonly alpha: number;
  readonly beta: number;
}

function bertQe(scores: Scores, { kc, length, alpha, beta }: Choice): number {
  const { query, documents } = scores.chunks[length];
  const weights = softmax(query.slice(0, kc));
  const final = scores.query.map((relevance, i) => {
    const expansion = weights.length === 0 ? null : expansionScore(weights, documents[i]);
    return interpolate(combine(relevance, expansion, alpha), scores.initial[i], beta);
  });
  return ndcg(scores, final);
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4).replace(/^0/, '')}`;
const figure = (value: number) => value.toFixed(4).replace(/^0/, '');

/** Gains of a setting over MaxP, by collection. */
function gains(all: readonly Scores[][], choice: Choice): number[] {
  return all.map((queries) =>
    mean(queries.map((scores) => bertQe(scores, choice) - maxP(scores, choice.beta))),
  );
}

const has = (which: Development['has'], of: readonly number[]) =>
  of.filter((_, i) => COLLECTIONS[i].has === which);
const meanOf = (which: Development['has'], all: readonly Scores[][], choice: Choice) =>
  mean(has(which, gains(all, choice)));

function report(variant: string, all: readonly Scores[][]): string[] {
  const lengths = LENGTHS.map((_, i) => i);
  const choices = COUNTS.flatMap((kc) =>
    lengths.flatMap((length) =>
      ALPHAS.flatMap((alpha) => BETAS.map((beta): Choice => ({ kc, length, alpha, beta }))),
    ),
  );
  const tried = choices
    .map((choice) => ({
      choice,
      own: gains(all, choice),
      level: mean(
        has(
          'many',
          all.map((queries) => mean(queries.map((scores) => bertQe(scores, choice)))),
        ),
      ),
    }))
    .sort((a, b) => b.level - a.level);
  const allowed = tried.filter(({ own }) => has('one', own).every((value) => value >= -TOLERANCE));
  const defaults: Choice = { ...DEFAULTS, length: LENGTHS.indexOf(DEFAULTS.chunkWords) };
  const told = ({ kc, length, alpha, beta }: Choice) =>
    `α ${alpha}, β ${beta}, kc ${kc}, m ${LENGTHS[length]}`;
  const byCollection = [
    '| | MaxP | BERT-QE | gain |',
    '|---|---|---|---|',
    ...COLLECTIONS.map(({ name }, i) => {
      const without = mean(all[i].map((scores) => maxP(scores, defaults.beta)));
      const gained = gains(all, defaults)[i];
      return `| ${name} | ${figure(without)} | ${figure(without + gained)} | ${signed(gained)} |`;
    }),
  ];
  const grid = (
    rows: readonly string[],
    columns: readonly string[],
    at: (row: number, column: number) => Choice,
  ) => [
    `| | ${columns.join(' | ')} |`,
    `|---|${'---|'.repeat(columns.length)}`,
    ...rows.map(
      (row, i) =>
        `| ${row} | ${columns.map((_, j) => `${signed(meanOf('many', all, at(i, j)))} / ${signed(meanOf('one', all, at(i, j)))}`).join(' | ')} |`,
    ),
  ];
  return [
    `${variant}, the best ten of ${choices.length} settings, then of those that the rule allows:`,
    ...[tried, allowed].flatMap((list) => [
      '',
      ...list
        .slice(0, 10)
        .map(
          ({ choice, own, level }) =>
            `- ${told(choice)}: ${signed(mean(has('many', own)))} many (${figure(level)}), ${has('one', own).map(signed).join(' ')} one`,
        ),
    ]),
    '',
    ...byCollection,
    '',
    ...grid(
      COUNTS.map((kc) => `kc ${kc}`),
      LENGTHS.map((m) => `m ${m}`),
      (row, length) => ({ ...defaults, kc: COUNTS[row], length }),
    ),
    '',
    ...grid(
      ALPHAS.map((alpha) => `α ${alpha}`),
      BETAS.map((beta) => `β ${beta}`),
      (row, column) => ({ ...defaults, alpha: ALPHAS[row], beta: BETAS[column] }),
    ),
  ];
}

for (const variant of values.variants.split(',')) {
  const all: Scores[][] = [];
  for (const made of COLLECTIONS) all.push(await gather(made, variant));
  process.stdout.write(`${report(variant, all).join('\n')}\n\n`);
}
for (const each of models.values()) await each.close();
