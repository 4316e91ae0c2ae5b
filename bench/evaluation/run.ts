/**
 * `bert-qe evaluate` beside trec_eval on a generated run of 1,000,000 lines, in turns on the same machine.
 *
 *   npm run build
 *   scripts/fixtures/evaluation/build_trec_eval.sh CLONE BIN
 *   npm run bench:evaluation -- BIN/trec_eval-10 [LAUNCHER]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateCollection } from './generate.js';

const ROUNDS = 7;
const [trecEval, launcher = 'bin/bert-qe.js'] = process.argv.slice(2);
if (trecEval === undefined) throw new Error('Give the path of trec_eval.');

interface Result {
  readonly output: string;
  readonly seconds: number;
  /** User and system time of all threads, which other load on the machine hardly lengthens. */
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

/** Runs a program under GNU time: wall clock and peak memory of the whole process. */
function measure(command: readonly string[]): Result {
  const { stdout, stderr, status } = spawnSync('/usr/bin/time', ['-f', '%e %U %S %M', ...command], {
    encoding: 'utf8',
  });
  const timing = stderr.trim().split('\n').at(-1)!;
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
  const [seconds, user, system, kilobytes] = timing.split(' ').map(Number);
  return { output: stdout, seconds, cpuSeconds: user + system, megabytes: kilobytes / 1024 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const folder = mkdtempSync(join(tmpdir(), 'bench-evaluation-'));
try {
  const [qrels, run] = [join(folder, 'qrels'), join(folder, 'run')];
  await generateCollection(qrels, run);
  const programs = {
    trec_eval: [trecEval, '-M1000', '-m', 'P.20', '-m', 'ndcg_cut.20', '-m', 'map_cut.100,1000', qrels, run],
    'bert-qe': [process.execPath, launcher, 'evaluate', '--qrels', qrels, run, '--format', 'trec'],
  };
  const results = Object.entries(programs).map(([name, command]) => ({
    name,
    command,
    rounds: [] as Result[],
  }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { command, rounds } of results) {
      const result = measure(command);
      if (round > 0) rounds.push(result); // The first only warms the file cache.
    }
  }
  const [theirs, ours] = results.map(({ rounds }) => rounds[0].output);
  if (theirs !== ours) throw new Error(`The answers differ:\n${theirs}\n${ours}`);

  console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}`);
  console.log(`run of ${(statSync(run).size / 2 ** 20).toFixed(0)} MiB; the same answers:\n${ours}`);
  const medians = results.map(({ name, rounds }) => {
    const wall = median(rounds.map(({ seconds }) => seconds));
    const cpu = median(rounds.map(({ cpuSeconds }) => cpuSeconds));
    const all = rounds.map(({ seconds }) => seconds.toFixed(2)).join(' ');
    const memory = Math.max(...rounds.map(({ megabytes }) => megabytes)).toFixed(0);
    console.log(
      `${name.padEnd(10)} wall ${wall.toFixed(2)} s (${all})  processor ${cpu.toFixed(2)} s  peak ${memory} MiB`,
    );
    return { wall, cpu };
  });
  const [{ wall, cpu }, mine] = medians;
  console.log(
    `bert-qe / trec_eval: wall ${(mine.wall / wall).toFixed(2)}, processor ${(mine.cpu / cpu).toFixed(2)}`,
  );
  console.log(`load average ${loadavg()[0].toFixed(1)} on ${cpus().length} cores`);
} finally {
  rmSync(folder, { recursive: true });
}
