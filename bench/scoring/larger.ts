// node --import tsx bench/scoring/larger.ts [SIZES] [PRECISION]: of those not named the results of the last run are kept.
// The speed of each size relative to the machine's ceiling on the CPU, in fp32 and int8. Both change with the load of the
// host, so every round of scoring is between two ceilings, and the median of the rounds' ratios counts.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SizeLetter } from '../../src/bert/sizes.js';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import { type Measurement, timed } from './measurement.js';
import { modelFolder } from './model-folder.js';
import { phaseThree, root } from './workload.js';
import { workloadSize } from './workload-size.js';

const ROUNDS = 3;

/** Pairs of a round, for about half a minute of fp32. */
const PAIRS: Readonly<Partial<Record<SizeLetter, number>>> = { S: 4000, M: 800, B: 160, L: 60 };

export interface LargerResults {
  readonly sizes: readonly {
    readonly date: string;
    readonly size: SizeLetter;
    readonly precision: 'fp32' | 'int8';
    /** Workers × threads of each. */
    readonly layout: string;
    readonly pairs: number;
    /** Operations that the scores of all pairs need. */
    readonly flops: number;
    /** Operations a second of the ceiling before and after each round of scoring. */
    readonly rounds: readonly { readonly seconds: number; readonly ceilings: readonly [number, number] }[];
  }[];
}

function ceiling(): number {
  const path = resolve(import.meta.dirname, 'ceiling.ts');
  const output = execFileSync(process.execPath, ['--import', 'tsx', path], { encoding: 'utf8' });
  return (JSON.parse(output.trim().split('\n').at(-1)!) as Measurement).flops!;
}

const file = join(root, 'bench/results/scoring-larger.json');
const wanted = process.argv[2] ?? Object.keys(PAIRS).join('');
const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LargerResults).sizes : [];
const precisions = (['fp32', 'int8'] as const).filter((name) => (process.argv[3] ?? name) === name);
const sizes = before.filter((row) => !wanted.includes(row.size) || !precisions.includes(row.precision));
const workload = await phaseThree(1000);
const { BERT_QE_CACHE: usualCache } = process.env;
for (const size of wanted as Iterable<SizeLetter>) {
  const count = PAIRS[size]!;
  const { folder, trained } = await modelFolder(size);
  // Compiled models of random weights are removed with the weights.
  if (!trained) process.env.BERT_QE_CACHE = join(folder, 'cache');
  // Evenly from the whole workload, whose passages come collection by collection.
  const pairs = Array.from({ length: count }, (_, i) => workload[Math.floor((i * workload.length) / count)]);
  const { flops } = await workloadSize(folder, pairs);
  for (const precision of precisions) {
    const scorer = await BertScorer.load({ model: folder, device: 'cpu', precision });
    const { workers, threads } = scorer.info;
    await scorer.score(pairs.slice(0, Math.ceil(count / 10)));
    const rounds: { seconds: number; ceilings: [number, number] }[] = [];
    for (let first = ceiling(); rounds.length < ROUNDS; first = rounds.at(-1)!.ceilings[1]) {
      const seconds = await timed(() => scorer.score(pairs));
      rounds.push({ seconds, ceilings: [first, ceiling()] });
    }
    await scorer.close();
    const date = new Date().toISOString();
    sizes.push({ date, size, precision, layout: `${workers}×${threads}`, pairs: count, flops, rounds });
    process.stderr.write(`${JSON.stringify(sizes.at(-1))}\n`);
  }
  if (usualCache === undefined) delete process.env.BERT_QE_CACHE;
  else process.env.BERT_QE_CACHE = usualCache;
  if (!trained) rmSync(folder, { recursive: true });
}
const order = Object.keys(PAIRS);
sizes.sort((a, b) => order.indexOf(a.size) - order.indexOf(b.size) || (a.precision < b.precision ? -1 : 1));
const results: LargerResults = { sizes };
writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
