// npm run bench:browser [-- PAIRS [ROUNDS [MODELS [PAGES]]]]   (after npm ci --prefix bench/peers; needs Chromium)
// Pairs scored in Chromium by this project and by Transformers.js, on the same weights: the first result of a page, cold
// and warm, pairs per second, and the gaps between frames of the page meanwhile. With WebAssembly on a page that is
// cross-origin isolated and on one that is not, and with WebGPU, whose adapter is software. The ways take turns in every
// round; a ratio is the median of those of the rounds. S gets a third of the pairs, WebGPU twenty passages. MODELS and
// PAGES restrict a run: T isolated,plain. FORMS names a folder that keeps the exports and int8 forms for the next run;
// where bench/browser/quantize.py has written Transformers.js' q8 into it, that is measured too.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { kendallTau, quantizeModel } from '../../src/bert/index.js';
import { findModel } from '../../src/bert/models.js';
import type { TextPair } from '../../src/bert/types.js';
import { StaticHost } from '../../tests/support/static-host.js';
import { exportForPeers } from '../scoring/export-models.js';
import { demoPhaseThree } from './workload.js';

const root = join(import.meta.dirname, '../..');
const peers = join(root, 'bench/peers/node_modules');
if (!existsSync(peers)) {
  process.stderr.write('Transformers.js is not installed: npm ci --prefix bench/peers\n');
  process.exit(2);
}
const [count = 1000, rounds = 3] = process.argv.slice(2, 4).map(Number);
const [, , , , models = 'T,S', pages = 'isolated,plain,WebGPU'] = process.argv;

/** Code that a page runs: it defines `load()`, which gives `score(pairs)`. `args.way` are the options of a way. */
const code = {
  'bert-qe': `
    const { BertScorer } = await import('/browser/index.js');
    const load = async () => {
      const scorer = await BertScorer.load({ model: args.model, modelBase: '/models/', runtime: '/ort/', ...args.way });
      return (pairs) => scorer.score(pairs);
    };`,
  'Transformers.js': `
    const { env, AutoTokenizer, AutoModelForSequenceClassification } = await import('/peer/transformers.min.js');
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/exports/' });
    env.backends.onnx.wasm.wasmPaths = '/peer-ort/';
    // Its own choice would be one thread on two cores.
    if (crossOriginIsolated) env.backends.onnx.wasm.numThreads = navigator.hardwareConcurrency;
    const load = async () => {
      const tokenize = await AutoTokenizer.from_pretrained(args.model);
      const run = await AutoModelForSequenceClassification.from_pretrained(args.model, args.way);
      return async (pairs, batch = args.batch) => {
        const scores = [];
        for (let i = 0; i < pairs.length; i += batch) {
          const some = pairs.slice(i, i + batch);
          const inputs = tokenize(some.map(({ a }) => a), {
            text_pair: some.map(({ b }) => b), padding: true, truncation: true, max_length: 384,
          });
          const { logits } = await run(inputs);
          for (const [other, relevant] of logits.tolist()) scores.push(1 / (1 + Math.exp(other - relevant)));
        }
        return scores;
      };
    };`,
} as const;

type System = keyof typeof code;

/** A way in which a system scores: its options, and the page it does so on. */
interface Way {
  readonly system: System;
  readonly name: string;
  readonly page: 'isolated' | 'plain' | 'WebGPU';
  readonly options: object;
  /** The first result of a page is measured too. */
  readonly first?: boolean;
}

/** The way of Transformers.js that a way of ours is compared with: fp32 with fp32, int8 with q8. */
const rivalOf = (way: Way, all: readonly Way[]): Way | undefined =>
  all.find(
    ({ system, page, name }) =>
      system !== way.system && page === way.page && (name === 'q8') === (way.name === 'int8'),
  );

const forms = process.env.FORMS ?? mkdtempSync(join(tmpdir(), 'bert-qe-bench-'));
const quantized = (folder: string): string => join(forms, 'exports', folder, 'onnx/model_quantized.onnx');

const ways = (folder: string): readonly Way[] => {
  const eight = existsSync(quantized(folder)) ? [{ dtype: 'q8', device: 'wasm' }] : [];
  const bytes = { modelBase: '/int8/', weights: 'onnx/model_int8.onnx' };
  const ours = (page: Way['page'], name: string, options: object, first = false): Way => ({
    system: 'bert-qe',
    page,
    name,
    options,
    first,
  });
  const theirs = (page: Way['page'], name: string, options: object, first = false): Way => ({
    system: 'Transformers.js',
    page,
    name,
    options,
    first,
  });
  const all = [
    ours('isolated', 'fp32', {}, true),
    theirs('isolated', 'fp32', { dtype: 'fp32', device: 'wasm' }, true),
    ours('isolated', 'int8', bytes),
    ...eight.map((options) => theirs('isolated', 'q8', options, true)),
    ours('plain', 'fp32', {}, true),
    theirs('plain', 'fp32', { dtype: 'fp32', device: 'wasm' }, true),
    ours('plain', 'fp32, 1 worker', { workers: 1 }),
    ...eight.map((options) => theirs('plain', 'q8', options)),
    ...(folder === 'tiny'
      ? [
          ours('WebGPU', 'fp32', { device: 'webgpu' }, true),
          theirs('WebGPU', 'fp32', { dtype: 'fp32', device: 'webgpu' }, true),
        ]
      : []),
  ];
  return all.filter(({ page }) => pages.split(',').includes(page));
};

interface First {
  readonly seconds: number;
  readonly scores: number[];
}
interface Rate {
  readonly pairsPerSecond: number;
  readonly longestGap: number;
  readonly scores: number[];
}

const host = new StaticHost({
  '/browser/': join(root, 'dist/browser/'),
  '/models/': join(root, 'models/'),
  '/ort/': join(root, 'node_modules/onnxruntime-web/dist/'),
  '/peer/': join(peers, '@huggingface/transformers/dist/'),
  '/peer-ort/': join(peers, 'onnxruntime-web/dist/'),
  '/exports/': `${forms}/exports/`,
  '/int8/': `${forms}/int8/`,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--enable-unsafe-webgpu',
    '--use-webgpu-adapter=swiftshader',
  ],
});

interface Task {
  readonly model: string;
  readonly pairs: readonly TextPair[];
  readonly batch: number;
}

async function inPage<T>(context: BrowserContext, { system, page, options }: Way, task: Task, rest: string) {
  host.isolated = page !== 'plain';
  const tab: Page = await context.newPage();
  await tab.goto(host.url);
  const args = JSON.stringify({ ...task, way: options });
  const result = await tab.evaluate<T>(
    `(async (args) => { const began = performance.now(); ${code[system]} ${rest} })(${args})`,
  );
  await tab.close();
  return result;
}

/** Seconds from the first import of a page to the scores of twenty passages. */
function first(context: BrowserContext, way: Way, task: Task): Promise<First> {
  const rest = `
    const scores = Array.from(await (await load())(args.pairs, args.pairs.length));
    return { seconds: (performance.now() - began) / 1000, scores };`;
  return inPage<First>(context, way, { ...task, pairs: twenty }, rest);
}

function rate(context: BrowserContext, way: Way, task: Task): Promise<Rate> {
  const rest = `
    const score = await load();
    await score(args.pairs.slice(0, 60));
    const gaps = [];
    let last = performance.now(), running = true;
    const frame = (now) => { gaps.push(now - last); last = now; if (running) requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
    const from = performance.now();
    const scores = Array.from(await score(args.pairs));
    const seconds = (performance.now() - from) / 1000;
    running = false;
    await new Promise((resolve) => setTimeout(resolve, 100));
    // A page that was blocked has its gap when the work is over.
    return { pairsPerSecond: args.pairs.length / seconds, longestGap: Math.max(...gaps), scores };`;
  return inPage<Rate>(context, way, task, rest);
}

const many = demoPhaseThree(100);
const twenty = many.filter((_, i) => i % 10 === 0).slice(0, 20);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
/** The median ratio of the rounds. */
const ratio = (over: readonly number[], under: readonly number[]): number =>
  median(over.map((value, round) => value / under[round]));
const rows: object[] = [];
try {
  await host.start();
  for (const [model, folder, share] of [
    ['T', 'tiny', 1],
    ['S', 'small', 1 / 3],
  ] as const) {
    if (!models.split(',').includes(model)) continue;
    const source = await findModel(model);
    if (!existsSync(join(forms, 'exports', folder))) {
      await exportForPeers(source, join(forms, 'exports', folder));
      await quantizeModel(source, join(forms, 'int8', folder));
    }
    const all = ways(folder);
    const found = new Map(
      all.map((way) => [way, { cold: [] as number[], warm: [] as number[], rates: [] as Rate[] }]),
    );
    const some = many.slice(0, Math.round(count * share));
    const trial = await browser.newContext();
    const trials: { batch: number; speed: number }[] = [];
    const peer = all.find(({ system, page }) => system === 'Transformers.js' && page !== 'WebGPU');
    for (const batch of peer ? [8, 16, 32] : [16]) {
      const task = { model: folder, pairs: some.slice(0, some.length / 5), batch };
      const speed = peer ? (await rate(trial, peer, task)).pairsPerSecond : 0;
      trials.push({ batch, speed });
    }
    await trial.close();
    const { batch } = trials.reduce((best, one) => (one.speed > best.speed ? one : best));
    for (let round = 0; round < rounds; round++) {
      for (const [way, { cold, warm, rates }] of found) {
        const context = await browser.newContext();
        const task = {
          model: folder,
          pairs: way.page === 'WebGPU' ? twenty : some,
          batch,
        };
        if (way.first) {
          cold.push((await first(context, way, task)).seconds);
          warm.push((await first(context, way, task)).seconds);
        }
        rates.push(await rate(context, way, task));
        await context.close();
      }
    }
    const [{ rates: exact }] = found.values();
    const speeds = (way: Way): number[] => found.get(way)!.rates.map(({ pairsPerSecond }) => pairsPerSecond);
    const exactly: Way = { system: 'bert-qe', page: 'plain', name: 'fp32', options: {} };
    const exactTwenty = await rate(await browser.newContext(), exactly, {
      model: folder,
      pairs: twenty,
      batch,
    });
    for (const [way, { cold, warm, rates }] of found) {
      const isAll = way.page !== 'WebGPU';
      const reference = isAll ? exact[0].scores : exactTwenty.scores;
      const difference = Math.max(...rates[0].scores.map((score, i) => Math.abs(score - reference[i])));
      const { system, page, name } = way;
      if (name.startsWith('fp32') && !(difference < 1e-4)) {
        throw new Error(`${model}, ${system}, ${page}: the scores differ by ${difference}`);
      }
      const rival = system === 'bert-qe' ? rivalOf(way, all) : undefined;
      const row = {
        model,
        page,
        system,
        precision: name,
        ...(system === 'bert-qe' ? {} : { batch }),
        ...(way.first ? { cold: median(cold), warm: median(warm) } : {}),
        pairsPerSecond: median(speeds(way)),
        ...(rival ? { ratio: ratio(speeds(way), speeds(rival)) } : {}),
        longestGapMs: Math.max(...rates.map(({ longestGap }) => longestGap)),
        tau: kendallTau(reference, rates[0].scores),
        rates: speeds(way).map((speed) => Math.round(speed * 10) / 10),
        ...(way.first ? { colds: cold, warms: warm } : {}),
      };
      rows.push(row);
      process.stdout.write(`${JSON.stringify(row)}\n`);
    }
  }
} finally {
  await browser.close();
  host.stop();
  if (process.env.FORMS === undefined) rmSync(forms, { recursive: true });
}
const scripts = ['index.js', 'remote-service.js', 'worker.js', 'library-tokenizer.js'];
const sizes = Object.fromEntries(
  scripts.map((name) => [
    name,
    gzipSync(readFileSync(join(root, 'dist/browser', name)), { level: 9 }).length,
  ]),
);
process.stdout.write(`${JSON.stringify(sizes)}\n`);
mkdirSync(join(root, 'bench/results'), { recursive: true });
const part = process.argv.length > 4 ? `-${models}-${pages}` : '';
writeFileSync(
  join(root, `bench/results/browser${part}.json`),
  `${JSON.stringify({ browser: 'Chromium', processor: cpus()[0].model, cores: cpus().length, count, rounds, rows, sizes }, undefined, 2)}\n`,
);
