// node --import tsx bench/scoring/side-effects.ts [RESULT.json]
// The effects of a scorer on its process: the main thread's event loop, memory over a million pairs, load and close.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import type { TextPair } from '../../src/bert/types.js';
import { sizeConfig } from './gpu/random-weights.js';
import { randomModelFolder } from './model-folder.js';
import { passages, phaseThree, root } from './workload.js';

const MANY_PAIRS = 1_000_000;
const CYCLES = 200;

export interface SideEffectResults {
  readonly date: string;
  readonly loop: {
    readonly pairs: number;
    readonly seconds: number;
    readonly maxMs: number;
    readonly p99Ms: number;
  };
  readonly memory: {
    readonly pairs: number;
    readonly seconds: number;
    /** Resident megabytes after each tenth of the pairs; the first is before any. */
    readonly residentMb: readonly number[];
  };
  readonly cycles: {
    readonly count: number;
    /** Resident megabytes after each tenth of the cycles; the first is after the first cycle. */
    readonly residentMb: readonly number[];
    /** Handles that keep the process alive, before and after. */
    readonly handles: readonly [before: number, after: number];
  };
}

const megabytes = () => Math.round(process.memoryUsage.rss() / 2 ** 20);
const handles = () => process.getActiveResourcesInfo().length;

async function loop(): Promise<SideEffectResults['loop']> {
  const pairs = await phaseThree(1000);
  const scorer = await BertScorer.load({ model: 'T', device: 'cpu' });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const start = performance.now();
  await scorer.score(pairs);
  const seconds = (performance.now() - start) / 1000;
  delay.disable();
  await scorer.close();
  return { pairs: pairs.length, seconds, maxMs: delay.max / 1e6, p99Ms: delay.percentile(99) / 1e6 };
}

/** A model so small that a million pairs take a minute: everything around it is measured. */
const miniatureModel = (): Promise<string> =>
  randomModelFolder({ ...sizeConfig('T', 1), hidden: 32, intermediate: 64, maxPositions: 384 });

async function memory(): Promise<SideEffectResults['memory']> {
  const model = await miniatureModel();
  const texts = (await passages(1000)).map((text) => text.split(' ').slice(0, 24).join(' '));
  const pairs: TextPair[] = [];
  // Every second text differs from all others: nothing can be cached.
  for (let i = 0; i < MANY_PAIRS; i++)
    pairs.push({ a: texts[i % texts.length], b: `${texts[(i * 7) % texts.length]} ${i}` });
  const scorer = await BertScorer.load({ model, device: 'cpu' });
  const residentMb = [megabytes()];
  const start = performance.now();
  await scorer.score(pairs, {
    onProgress: (done, total) => {
      if (done >= (residentMb.length * total) / 10) residentMb.push(megabytes());
    },
  });
  const seconds = (performance.now() - start) / 1000;
  await scorer.close();
  rmSync(model, { recursive: true });
  return { pairs: pairs.length, seconds, residentMb };
}

async function cycles(): Promise<SideEffectResults['cycles']> {
  const pairs = (await phaseThree(100)).slice(0, 20);
  const before = handles();
  const residentMb: number[] = [];
  for (let i = 0; i < CYCLES; i++) {
    const scorer = await BertScorer.load({ model: 'T', device: 'cpu' });
    await scorer.score(pairs);
    await scorer.close();
    if (i === 0 || (i + 1) % (CYCLES / 10) === 0) residentMb.push(megabytes());
  }
  return { count: CYCLES, residentMb, handles: [before, handles()] };
}

const results: SideEffectResults = {
  date: new Date().toISOString(),
  loop: await loop(),
  cycles: await cycles(),
  memory: await memory(),
};
const target = process.argv[2] ?? join(root, 'bench/results/scoring-side-effects.json');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(results, undefined, 2)}\n`);
process.stderr.write(`${JSON.stringify(results)}\n`);
