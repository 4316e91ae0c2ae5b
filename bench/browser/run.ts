// npm run bench:browser [-- PASSAGES [ROUNDS]]   (after npm ci --prefix bench/peers; needs Chromium)
// Pairs scored in Chromium with WebAssembly by this project and by Transformers.js, on the same weights: the first
// result of a page, cold and warm, pairs per second, and the gaps between frames of the page meanwhile.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { findModel } from '../../src/bert/models.js';
import { StaticHost } from '../../tests/support/static-host.js';
import { exportForPeers } from '../scoring/export-models.js';
import { demoPhaseThree } from './workload.js';

const root = join(import.meta.dirname, '../..');
const peers = join(root, 'bench/peers/node_modules');
if (!existsSync(peers)) {
  process.stderr.write('Transformers.js is not installed: npm ci --prefix bench/peers\n');
  process.exit(2);
}
const [passages = 100, rounds = 3] = process.argv.slice(2).map(Number);

/** Code that a page runs: it defines `load(model)`, which gives `score(pairs)`. */
const systems: Readonly<Record<string, string>> = {
  'bert-qe': `
    const { BertScorer } = await import('/browser/index.js');
    const load = async (model) => {
      const scorer = await BertScorer.load({ model, modelBase: '/models/', runtime: '/ort/' });
      return (pairs) => scorer.score(pairs);
    };`,
  'Transformers.js': `
    const { env, AutoTokenizer, AutoModelForSequenceClassification } = await import('/peer/transformers.min.js');
    Object.assign(env, { allowRemoteModels: false, allowLocalModels: true, localModelPath: '/exports/' });
    env.backends.onnx.wasm.wasmPaths = '/peer-ort/';
    // Its own choice would be one thread on two cores.
    if (crossOriginIsolated) env.backends.onnx.wasm.numThreads = navigator.hardwareConcurrency;
    const load = async (model) => {
      const tokenize = await AutoTokenizer.from_pretrained(model);
      const run = await AutoModelForSequenceClassification.from_pretrained(model, { dtype: 'fp32', device: 'wasm' });
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
};

interface First {
  readonly seconds: number;
  readonly scores: number[];
}
interface Rate {
  readonly pairsPerSecond: number;
  readonly longestGap: number;
  readonly framesPerSecond: number;
}

const work = mkdtempSync(join(tmpdir(), 'bert-qe-bench-'));
const host = new StaticHost({
  '/browser/': join(root, 'dist/browser/'),
  '/models/': join(root, 'models/'),
  '/ort/': join(root, 'node_modules/onnxruntime-web/dist/'),
  '/peer/': join(peers, '@huggingface/transformers/dist/'),
  '/peer-ort/': join(peers, 'onnxruntime-web/dist/'),
  '/exports/': `${work}/`,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});

function run<T>(page: Page, system: string, code: string, args: object): Promise<T> {
  return page.evaluate<T>(
    `(async (args) => { const began = performance.now(); ${systems[system]} ${code} })(${JSON.stringify(args)})`,
  );
}

async function visit(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(host.url);
  return page;
}

/** Seconds from the first import of a page to the scores of twenty passages. */
async function first(context: BrowserContext, system: string, model: string): Promise<First> {
  const page = await visit(context);
  const code = `
    const scores = Array.from(await (await load(args.model))(args.pairs, args.pairs.length));
    return { seconds: (performance.now() - began) / 1000, scores };`;
  const result = await run<First>(page, system, code, { model, pairs: twenty, batch: 20 });
  await page.close();
  return result;
}

async function rate(context: BrowserContext, system: string, model: string, batch: number): Promise<Rate> {
  const page = await visit(context);
  const code = `
    const score = await load(args.model);
    await score(args.pairs.slice(0, 200));
    const gaps = [];
    let last = performance.now(), running = true;
    const frame = (now) => { gaps.push(now - last); last = now; if (running) requestAnimationFrame(frame); };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(frame); });
    const from = performance.now();
    await score(args.pairs);
    const seconds = (performance.now() - from) / 1000;
    running = false;
    await new Promise((resolve) => setTimeout(resolve, 100));
    // A page that was blocked has its gap when the work is over.
    return { pairsPerSecond: args.pairs.length / seconds, longestGap: Math.max(...gaps), framesPerSecond: gaps.length / seconds };`;
  const result = await run<Rate>(page, system, code, { model, pairs: many, batch });
  await page.close();
  return result;
}

const many = demoPhaseThree(passages);
const twenty = many.filter((_, i) => i % 10 === 0).slice(0, 20);
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rows: object[] = [];
try {
  await host.start();
  for (const [model, folder] of [
    ['T', 'tiny'],
    ['S', 'small'],
  ] as const) {
    await exportForPeers(await findModel(model), join(work, folder));
    for (const isolated of [true, false]) {
      host.isolated = isolated;
      const found: Record<string, { cold: number[]; warm: number[]; rate: Rate[]; scores: number[] }> = {};
      const trial = await browser.newContext();
      const trials = [];
      for (const batch of [8, 16, 32])
        trials.push({ batch, ...(await rate(trial, 'Transformers.js', folder, batch)) });
      await trial.close();
      const { batch } = trials.reduce((best, one) => (one.pairsPerSecond > best.pairsPerSecond ? one : best));
      for (let round = 0; round < rounds; round++) {
        for (const system of Object.keys(systems)) {
          const context = await browser.newContext();
          const of = (found[system] ??= { cold: [], warm: [], rate: [], scores: [] });
          const cold = await first(context, system, folder);
          of.cold.push(cold.seconds);
          of.scores = cold.scores;
          of.warm.push((await first(context, system, folder)).seconds);
          of.rate.push(await rate(context, system, folder, batch));
          await context.close();
        }
      }
      const [ours, theirs] = Object.values(found);
      const difference = Math.max(...ours.scores.map((score, i) => Math.abs(score - theirs.scores[i])));
      if (!(difference < 1e-4)) throw new Error(`${model}: the scores differ by ${difference}`);
      for (const [system, { cold, warm, rate: rates }] of Object.entries(found)) {
        const row = {
          model,
          page: isolated ? 'isolated' : 'plain',
          system,
          batch: system === 'bert-qe' ? 'own' : batch,
          cold: median(cold),
          warm: median(warm),
          pairsPerSecond: median(rates.map(({ pairsPerSecond }) => pairsPerSecond)),
          longestGapMs: median(rates.map(({ longestGap }) => longestGap)),
          framesPerSecond: median(rates.map(({ framesPerSecond }) => framesPerSecond)),
        };
        rows.push(row);
        process.stdout.write(`${JSON.stringify(row)}\n`);
      }
    }
  }
} finally {
  await browser.close();
  host.stop();
  rmSync(work, { recursive: true });
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
writeFileSync(
  join(root, 'bench/results/browser.json'),
  `${JSON.stringify({ browser: 'Chromium', processor: cpus()[0].model, cores: cpus().length, passages, rounds, rows, sizes }, undefined, 2)}\n`,
);
