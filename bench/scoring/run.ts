// node --import tsx bench/scoring/run.ts [PASSAGES [ROUNDS]]   (a part of npm run bench:scoring)
//
// Phase three of one query, 300 passages × 10 chunks, by this project and by Transformers.js on the same weights,
// beside the machine's ceiling: one after the other, each in a process of its own, round after round.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findModel } from '../../src/bert/models.js';
import { exportForPeers } from './export-models.js';
import type { Measurement } from './measurement.js';
import { writeReport } from './report.js';
import { phaseThree, root } from './workload.js';
import { workloadSize } from './workload-size.js';

const MODELS = ['T', 'S'];
/** Batch sizes of Transformers.js; the best on a tenth of the pairs is used. */
const PEER_BATCHES = [8, 16, 32, 64];

const passages = Number(process.argv[2] ?? 300);
const rounds = Number(process.argv[3] ?? 2);

/** The results of one run. */
export interface ScoringResults {
  readonly date: string;
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
  readonly passages: number;
  readonly workload: Readonly<Record<string, { readonly tokens: number; readonly flops: number }>>;
  readonly measurements: readonly Measurement[];
}

const measurements: Measurement[] = [];

function measure(script: string, ...options: (string | number)[]): Measurement {
  const path = resolve(import.meta.dirname, script);
  const output = execFileSync(process.execPath, ['--import', 'tsx', path, ...options.map(String)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const measurement = JSON.parse(output.trim().split('\n').at(-1)!) as Measurement;
  process.stderr.write(`${JSON.stringify(measurement)}\n`);
  return measurement;
}

if (!existsSync(join(root, 'bench/peers/node_modules'))) {
  process.stderr.write('Transformers.js is not installed: npm ci --prefix bench/peers\n');
  process.exit(2);
}
const exports = mkdtempSync(join(tmpdir(), 'bert-qe-bench-'));
try {
  const pairs = await phaseThree(passages);
  const workload: Record<string, { tokens: number; flops: number }> = {};
  const batch: Record<string, number> = {};
  for (const model of MODELS) {
    await exportForPeers(await findModel(model), join(exports, model));
    workload[model] = await workloadSize(model, pairs);
    const trial = Math.max(70, Math.floor(passages / 10));
    const seconds = PEER_BATCHES.map(
      (size) => measure('transformers-js.ts', model, exports, trial, size).seconds,
    );
    batch[model] = PEER_BATCHES[seconds.indexOf(Math.min(...seconds))];
  }
  for (let round = 0; round < rounds; round++) {
    for (const model of MODELS) {
      measurements.push(measure('ceiling.ts'));
      measurements.push(measure('ours.ts', model, 'fp32', passages));
      measurements.push(measure('transformers-js.ts', model, exports, passages, batch[model]));
      measurements.push(measure('ours.ts', model, 'int8', passages));
    }
  }
  measurements.push(measure('ceiling.ts'));
  const results: ScoringResults = {
    date: new Date().toISOString(),
    node: process.version,
    processor: cpus()[0].model,
    cores: availableParallelism(),
    passages,
    workload,
    measurements,
  };
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, 'bench/results/scoring.json'), `${JSON.stringify(results, undefined, 2)}\n`);
} finally {
  rmSync(exports, { recursive: true });
}
writeReport();
