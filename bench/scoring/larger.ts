// node --import tsx bench/scoring/larger.ts [SIZES]: of sizes that are not named the results of the last run are kept.
// How near each size comes to the machine's ceiling on the CPU, in fp32 and int8: a ceiling before and after every size,
// of which the mean counts, so that both sides of the ratio see the same minute of the machine.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SizeLetter } from '../../src/bert/config.js';
import { BertScorer } from '../../src/bert/scorer/index.js';
import { type Measurement, timed } from './measurement.js';
import { modelFolder } from './model-folder.js';
import { phaseThree, root } from './workload.js';
import { workloadSize } from './workload-size.js';

/** Pairs for about half a minute each. */
const PAIRS: Readonly<Partial<Record<SizeLetter, number>>> = { S: 4000, M: 800, B: 160, L: 60 };

export interface LargerResults {
  readonly date: string;
  readonly sizes: readonly {
    readonly size: SizeLetter;
    readonly precision: 'fp32' | 'int8';
    readonly pairs: number;
    readonly seconds: number;
    /** Useful operations a second, and those of the ceiling before and after. */
    readonly flops: number;
    readonly ceilings: readonly number[];
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
const sizes = before.filter(({ size }) => !wanted.includes(size));
const workload = await phaseThree(1000);
for (const size of wanted as Iterable<SizeLetter>) {
  const count = PAIRS[size]!;
  const { folder, trained } = await modelFolder(size);
  // Evenly from the whole workload, whose passages come collection by collection.
  const pairs = Array.from({ length: count }, (_, i) => workload[Math.floor((i * workload.length) / count)]);
  const { flops } = await workloadSize(folder, pairs);
  for (const precision of ['fp32', 'int8'] as const) {
    const scorer = await BertScorer.load({ model: folder, device: 'cpu', precision });
    await scorer.score(pairs.slice(0, Math.ceil(count / 10)));
    const first = ceiling();
    const seconds = await timed(() => scorer.score(pairs));
    const last = ceiling();
    await scorer.close();
    sizes.push({ size, precision, pairs: count, seconds, flops: flops / seconds, ceilings: [first, last] });
    process.stderr.write(`${JSON.stringify(sizes.at(-1))}\n`);
  }
  if (!trained) rmSync(folder, { recursive: true });
}
const results: LargerResults = { date: new Date().toISOString(), sizes };
writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
