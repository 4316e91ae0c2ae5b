// node --import tsx bench/expansion/birch.ts FOLDER:QUERIES… [--model S] [--depth 50]
//   (after npm run build: the models' workers run from dist; npm ci --prefix bench/peers for the other splitters)
//
// The effect of Birch's settings: its weights, and the splitter that makes sentences. Every sentence is scored once;
// then all weights are tried on the scores that are remembered. Prints the mean nDCG@20 over the collections, for each splitter
// with its best weights and with the package's, and the time that splitting takes.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { BertScorer } from '../../src/bert/index.js';
import { readQrels, type Qrels, type Ranking, type Run } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { birchScore, type BirchWeights } from '../../src/expansion/birch/birch.js';
import { sentencesOf, splitSentences } from '../../src/expansion/birch/sentences.js';
import { BIRCH_DEFAULTS } from '../../src/expansion/index.js';
import { withTexts } from '../../src/runs/index.js';
import { openSetting } from './setting.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string', default: 'S' }, depth: { type: 'string', default: '50' } },
});
const depth = Number(values.depth);

type Split = (text: string) => readonly string[];
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
const splitters: Record<string, Split> = {
  'ours (Intl.Segmenter, joined at abbreviations)': splitSentences,
  'Intl.Segmenter': (text) =>
    Array.from(segmenter.segment(text.replace(/\s+/g, ' ')), ({ segment }) => segment),
  ...peerSplitters(),
};

/** The splitters of the peers that are installed. */
function peerSplitters(): Record<string, Split> {
  const require = createRequire(join(fileURLToPath(new URL('../peers/', import.meta.url)), 'package.json'));
  const found: Record<string, Split> = {};
  try {
    const sbd = require('sbd') as { sentences(text: string): string[] };
    found.sbd = (text) => sbd.sentences(text);
    const { split } = require('sentence-splitter') as {
      split(text: string): { type: string; raw: string }[];
    };
    found['sentence-splitter'] = (text) =>
      split(text.replace(/\s+/g, ' '))
        .filter(({ type }) => type === 'Sentence')
        .map(({ raw }) => raw);
  } catch {
    process.stderr.write('bench/peers is not installed: the package alone is measured.\n');
  }
  return found;
}

/** The candidates of a query: initial scores, and the best three sentence scores by splitter. */
interface Scored {
  readonly id: string;
  readonly initial: number;
  readonly best: Readonly<Record<string, readonly number[]>>;
}

interface Collection {
  readonly name: string;
  readonly qrels: Qrels;
  readonly queries: ReadonlyMap<string, readonly Scored[]>;
}

const seconds: Record<string, number> = {};
const sentences: Record<string, number> = {};
const scorer = await BertScorer.load({ model: values.model });
const collections: Collection[] = [];
try {
  for (const each of positionals) {
    const [folder, count = '50'] = each.split(':') as [string, string?];
    collections.push(await scoresOf(folder, Number(count)));
  }
} finally {
  await scorer.close();
}

async function scoresOf(folder: string, count: number): Promise<Collection> {
  const setting = await openSetting(folder, 0, count);
  const queries = new Map<string, readonly Scored[]>();
  for (const query of setting.queries) {
    const ranking = (await setting.ranking(query)).slice(0, depth);
    const documents = await withTexts(query, ranking, setting.index);
    const cut = Object.fromEntries(
      Object.entries(splitters).map(([name, split]) => {
        const started = performance.now();
        const texts = documents.map((document) => sentencesOf(document, split));
        seconds[name] = (seconds[name] ?? 0) + (performance.now() - started) / 1000;
        sentences[name] = (sentences[name] ?? 0) + texts.flat().length;
        return [name, texts];
      }),
    );
    const distinct = [...new Set(Object.values(cut).flat(2))];
    const scores = await scorer.score(distinct.map((b) => ({ a: query.text, b })));
    const scoreOf = new Map(distinct.map((text, i) => [text, scores[i]!]));
    const bestOf = (texts: readonly string[]) =>
      texts
        .map((text) => scoreOf.get(text)!)
        .sort((a, b) => b - a)
        .slice(0, 3);
    queries.set(
      query.id,
      ranking.map(({ id, score }, i) => ({
        id,
        initial: score,
        best: Object.fromEntries(Object.entries(cut).map(([name, texts]) => [name, bestOf(texts[i]!)])),
      })),
    );
  }
  await setting.close();
  const name = folder.split('/').at(-1)!;
  process.stderr.write(`${name}: ${queries.size} queries\n`);
  return { name, qrels: await readQrels(join(folder, 'qrels.txt')), queries };
}

/** nDCG@20 of every collection. */
function effectiveness(splitter: string, weights: BirchWeights): number[] {
  return collections.map(({ qrels, queries }) => {
    const run: Run = new Map(
      [...queries].map(([query, candidates]): [string, Ranking] => [
        query,
        candidates
          .map(({ id, initial, best }) => ({ id, score: birchScore(best[splitter]!, initial, weights) }))
          .sort((a, b) => b.score - a.score),
      ]),
    );
    return evaluate(run, qrels, { measures: ['nDCG@20'], label: 'Birch' }).summary.get('nDCG@20')!;
  });
}

const mean = (all: readonly number[]) => all.reduce((sum, value) => sum + value, 0) / all.length;
const figure = (value: number) => value.toFixed(4);
const alphas = [0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5];
const tenths = Array.from({ length: 11 }, (_, i) => i / 10);
const grid = alphas.flatMap((alpha) =>
  tenths.flatMap((beta) => tenths.map((gamma) => ({ alpha, beta, gamma }))),
);

const names = collections.map(({ name }) => name);
process.stdout.write(
  `| splitter | sentences | ms per 1,000 documents | weights α, β, γ | mean | ${names.join(' | ')} |\n` +
    `|---|---|---|---|---|${'---|'.repeat(names.length)}\n`,
);
const documents = collections
  .flatMap(({ queries }) => [...queries.values()])
  .reduce((sum, list) => sum + list.length, 0);
for (const splitter of Object.keys(splitters)) {
  const tried = grid.map((weights) => ({ weights, values: effectiveness(splitter, weights) }));
  const best = tried.reduce((a, b) => (mean(b.values) > mean(a.values) ? b : a));
  const { alpha, beta, gamma } = BIRCH_DEFAULTS;
  const usual = { weights: { alpha, beta, gamma }, values: effectiveness(splitter, { alpha, beta, gamma }) };
  for (const { weights, values: all } of [best, usual]) {
    const cells = [mean(all), ...all].map(figure).join(' | ');
    const time = ((1e6 * seconds[splitter]!) / documents).toFixed(0);
    process.stdout.write(
      `| ${splitter} | ${sentences[splitter]} | ${time} | ${Object.values(weights).join(', ')} | ${cells} |\n`,
    );
  }
  if (splitter !== Object.keys(splitters)[0]) continue;
  for (const alpha of alphas) {
    const ofAlpha = tried.filter(({ weights }) => weights.alpha === alpha);
    const top = ofAlpha.reduce((a, b) => (mean(b.values) > mean(a.values) ? b : a));
    const { beta: second, gamma: third } = top.weights;
    process.stderr.write(`α ${alpha}: best ${figure(mean(top.values))} with β ${second}, γ ${third}\n`);
  }
}
