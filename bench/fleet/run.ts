/**
 * Fleets on this machine, and simulated beyond it: `node --import tsx bench/fleet/run.ts [REDIS]` (a Redis server,
 * redis://127.0.0.1:6379). Measures what the queue takes for a job, and a run of the demo collection with one worker
 * and with two; then simulates up to a thousand workers from the recorded costs. Writes bench/results/fleet.json.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearFleet, distribute, parseFleetAddress, workForFleet } from '../../src/remote/index.js';
import { Index } from '../../src/retrieval/index.js';
import { simulate } from './simulate.js';

const redis = process.argv[2] ?? 'redis://127.0.0.1:6379';
const root = new URL('../../', import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), 'bert-qe-fleet-'));
const index = join(scratch, 'index');

function command(args: readonly string[]): { done: Promise<{ seconds: number; log: string }>; kill(): void } {
  const started = performance.now();
  const child = spawn(process.execPath, [join(root, 'bin/bert-qe.js'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += String(chunk)));
  const done = new Promise<{ seconds: number; log: string }>((resolve, reject) => {
    child.on('close', (code) => {
      if (code) reject(new Error(log));
      else resolve({ seconds: (performance.now() - started) / 1000, log });
    });
  });
  return { done, kill: () => child.kill('SIGINT') };
}

/** Seconds of the whole queue per job, hand-in, work and collection of jobs that do nothing. */
async function queueCost(jobs: number): Promise<number> {
  const address = parseFleetAddress(`${redis}?queue=bench-queue`);
  const stop = new AbortController();
  const ranking = Array.from({ length: 1000 }, (_, i) => ({ id: `clueweb09-en0000-00-0${i}`, score: i / 7 }));
  const work = { prepare: async () => undefined, perform: async () => ({ done: true }) };
  const worker = workForFleet(address, work, { concurrency: 8, signal: stop.signal });
  const tasks = async function* () {
    for (let i = 0; i < jobs; i++) yield { key: String(i), data: { ranking } };
  };
  const started = performance.now();
  let count = 0;
  const options = { run: 'b'.repeat(40), read: Boolean, pollMs: 5 };
  for await (const { result } of distribute(address, tasks(), options)) {
    if (result) count++;
  }
  const seconds = (performance.now() - started) / 1000;
  stop.abort();
  await worker;
  return seconds / count;
}

/** Seconds to fetch the texts of a query from the embedded store. */
async function storeCost(): Promise<number> {
  const opened = Index.open(index);
  const ids = Array.from({ length: opened.statistics.documents }, (_, i) => opened.documentId(i));
  const started = performance.now();
  const rounds = 20;
  for (let i = 0; i < rounds; i++) await opened.get(ids);
  const perDocument = (performance.now() - started) / 1000 / rounds / ids.length;
  await opened.close();
  return 1000 * perDocument;
}

async function fleetRun(workers: number): Promise<{ seconds: number; jobs: number[] }> {
  const fleet = `${redis}?queue=bench-${workers}`;
  const started = Array.from({ length: workers }, () =>
    command(['fleet', 'work', '--redis', fleet, '--idle-seconds', '5']),
  );
  const models = ['--models', 'TTT', '--depth', '40'];
  const out = join(scratch, `${workers}.run`);
  const { seconds } = await command([
    'rerank',
    '--index',
    index,
    '--queries',
    join(root, 'demo/queries.jsonl'),
    ...models,
    '--fleet',
    fleet,
    '--out',
    out,
  ]).done;
  const logs = await Promise.all(started.map(({ done }) => done));
  const jobs = logs.flatMap(({ log }) =>
    [...log.matchAll(/^query \S+: (?:(\d+) min )?([\d.]+) s$/gm)].map(
      ([, minutes, rest]) => 60 * Number(minutes ?? 0) + Number(rest),
    ),
  );
  await clearFleet(parseFleetAddress(fleet));
  return { seconds, jobs };
}

try {
  await command(['index', join(root, 'demo'), '--out', index]).done;
  const queueSeconds = await queueCost(500);
  const storeSeconds = await storeCost();
  const one = await fleetRun(1);
  const two = await fleetRun(2);
  // The first job of a worker loads the models: recorded as what it is, a part of joining.
  const jobSeconds = one.jobs.slice(1);
  const mean = jobSeconds.reduce((sum, seconds) => sum + seconds, 0) / jobSeconds.length;
  // A job of BERT-QE-LMT on a GPU takes some 9 s (docs/scale.md): recorded costs, scaled to that mean.
  const scaled = jobSeconds.map((seconds) => (9 * seconds) / mean);
  const model = { jobSeconds: scaled, jobs: 10_000, queueSeconds, storeSeconds, storeParallel: 8, seed: 7 };
  const simulated = [1, 2, 10, 50, 100, 200, 500, 1000].map((workers) => simulate(model, workers));
  const results = { cores: availableParallelism(), queueSeconds, storeSeconds, one, two, simulated };
  writeFileSync(join(root, 'bench/results/fleet.json'), `${JSON.stringify(results, null, 2)}\n`);
  console.log(JSON.stringify(results, null, 2));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
