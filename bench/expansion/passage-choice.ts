// node --import tsx bench/expansion/passage-choice.ts [--queries 40] [--depth 100] [--models SST,TTT] [--collections NAME,…]
//   (after npm run build; a part of npm run bench:expansion). Of collections not named the results of the last run are kept.
//
// The cascade beside the paper's way to the best passages, on development collections of documents with several passages:
// nDCG@20 and AP of the whole ranking, pairs and processor seconds. Writes a section of docs/benchmarks-expansion.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readQrels, type Qrels } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { BertQE, type Reranking } from '../../src/expansion/index.js';
import { collectionFolder } from '../collections.js';
import { writeSections } from '../section.js';
import { LONG_DOCUMENTS, writeLongDocuments } from './long-documents.js';
import { openSetting } from './setting.js';

const { values } = parseArgs({
  options: {
    queries: { type: 'string', default: '40' },
    depth: { type: 'string', default: '100' },
    models: { type: 'string', default: 'SST,TTT' },
    collections: { type: 'string', default: LONG_DOCUMENTS.map(({ name }) => name).join() },
  },
});
const depth = Number(values.depth);
const WAYS = ['exhaustive', 'cascade'] as const;
const MEASURES = ['nDCG@20', 'AP'] as const;

/** What one way gave for one query. */
interface Outcome {
  readonly scores: readonly number[];
  readonly pairs: number;
  readonly seconds: number;
}

interface Row {
  readonly collection: string;
  readonly documents: string;
  readonly models: string;
  readonly outcomes: Readonly<Record<(typeof WAYS)[number], Outcome[]>>;
}

/** Mean and half of its 95 % interval. */
function meanOf(numbers: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (numbers.length - 1) / numbers.length };
}

function scoresOf({ results }: Reranking, query: string, qrels: Qrels): number[] {
  const run = new Map([[query, results.map(({ id, score }) => ({ id, score }))]]);
  const { summary } = evaluate(run, new Map([[query, qrels.get(query)!]]), { measures: [...MEASURES] });
  return MEASURES.map((measure) => summary.get(measure)!);
}

const results = 'bench/results/passage-choice.json';
const wanted = values.collections.split(',');
const before = existsSync(results) ? (JSON.parse(readFileSync(results, 'utf8')) as Row[]) : [];
const measured: Row[] = [];
const work = mkdtempSync(join(tmpdir(), 'bench-passages-'));
try {
  for (const made of LONG_DOCUMENTS.filter(({ name }) => wanted.includes(name))) {
    const folder = join(work, made.name);
    writeLongDocuments(collectionFolder(made.name), made, folder);
    const setting = await openSetting(folder, 0, Infinity);
    const qrels = await readQrels(join(folder, 'qrels.txt'));
    const relevant = setting.queries.filter(({ id }) =>
      [...qrels.get(id)!.values()].some((grade) => grade > 0),
    );
    const step = Math.max(1, Math.floor(relevant.length / Number(values.queries)));
    const queries = relevant.filter((_, i) => i % step === 0).slice(0, Number(values.queries));
    for (const models of values.models.split(',')) {
      const outcomes: Row['outcomes'] = { exhaustive: [], cascade: [] };
      const rerankers = await Promise.all(
        WAYS.map((passageChoice) => BertQE.load({ models, passageChoice, depth })),
      );
      for (const query of queries) {
        const ranking = (await setting.ranking(query)).slice(0, depth);
        const documents = await setting.index.get(ranking.map(({ id }) => id));
        const inputs = ranking.map(({ id, score }) => {
          const { title, text } = documents.get(id)!;
          return { id, score, text, ...(title === undefined ? {} : { title }) };
        });
        for (const [i, way] of WAYS.entries()) {
          const start = process.cpuUsage();
          const reranking = await rerankers[i].rerank(query.text, inputs);
          const { user, system } = process.cpuUsage(start);
          const scores = scoresOf(reranking, query.id, qrels);
          outcomes[way].push({ scores, pairs: reranking.cost.pairs, seconds: (user + system) / 1e6 });
        }
      }
      await Promise.all(rerankers.map((reranker) => reranker.close()));
      measured.push({ collection: made.name, documents: made.documents, models, outcomes });
      process.stderr.write(`${line(measured.at(-1)!)}\n`);
    }
    await setting.close();
  }
} finally {
  rmSync(work, { recursive: true });
}

const rows = LONG_DOCUMENTS.flatMap(({ name }) =>
  (wanted.includes(name) ? measured : before).filter(({ collection }) => collection === name),
);
mkdirSync('bench/results', { recursive: true });
writeFileSync(results, JSON.stringify(rows));

function differences({ outcomes }: Row, measure: number) {
  return meanOf(
    outcomes.cascade.map(({ scores }, i) => scores[measure] - outcomes.exhaustive[i].scores[measure]),
  );
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
}

function told({ mean, variance }: ReturnType<typeof meanOf>): string {
  return `${signed(mean)} ± ${(1.96 * Math.sqrt(variance)).toFixed(4)}`;
}

function line(row: Row): string {
  const mean = (way: (typeof WAYS)[number], of: (outcome: Outcome) => number) =>
    meanOf(row.outcomes[way].map(of)).mean;
  const share = (of: (outcome: Outcome) => number) =>
    `${((100 * mean('cascade', of)) / mean('exhaustive', of)).toFixed(0)} %`;
  const cells = MEASURES.flatMap((_, measure) => [
    mean('exhaustive', ({ scores }) => scores[measure]).toFixed(4),
    told(differences(row, measure)),
  ]);
  const { collection, documents, models, outcomes } = row;
  return (
    `| ${collection} | ${documents} | ${models} | ${outcomes.cascade.length} | ${cells.join(' | ')} | ` +
    `${share(({ pairs }) => pairs)} | ${share(({ seconds }) => seconds)} |`
  );
}

/** The mean over collections, each of which counts the same. */
function meanLine(models: string): string {
  const own = rows.filter((row) => row.models === models);
  const cells = MEASURES.flatMap((_, measure) => {
    const found = own.map((row) => differences(row, measure));
    const mean = found.reduce((sum, each) => sum + each.mean, 0) / own.length;
    const variance = found.reduce((sum, each) => sum + each.variance, 0) / own.length ** 2;
    return ['', told({ mean, variance })];
  });
  return `| **mean** | | **${models}** | | ${cells.join(' | ')} | | |`;
}

writeSections('docs/benchmarks-expansion.md', [
  '## The cascade of passage choice',
  '',
  `\`node --import tsx bench/expansion/passage-choice.ts --queries ${values.queries}\`. Development collections, DPH+KL, the first ${depth} documents, all of which are ranked. ` +
    'The paper has the model of phase one score every passage (`passageChoice: exhaustive`). The cascade leaves passages whose shared words with the query weigh at least half of those of the document’s best; the smallest ' +
    'of the models chooses one of them, which phase one’s model scores, and it scores all passages of the ten documents that lead then. Differences are cascade − paper with 95 % intervals over queries; pairs and processor time are shares of the paper’s.',
  '',
  '| collection | documents | models | queries | nDCG@20 | difference | AP | difference | pairs | time |',
  '|---|---|---|---|---|---|---|---|---|---|',
  ...rows.map(line),
  ...values.models.split(',').map(meanLine),
]);
