// node --import tsx bench/scoring/laptop/run.ts [--models S,T] [--rounds 3] [--pairs 1000] [--systems bert-qe,…]
//   [--results FILE]   (a part of npm run bench:scoring)
//
// What a user gets: this project as it is by default, beside the runtimes and libraries that score cross-encoders on a CPU,
// on the same weights and texts. Every contender is a process that waits for its turn; in each round every one of them
// scores 20 passages, 100 passages and all pairs. Only a run of all systems is reported in docs/benchmarks-scoring.md.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { parseArgs } from 'node:util';
import { kendallTau } from '../../../src/bert/index.js';
import { defaultCalibrationPairs } from '../../../src/bert/compile/index.js';
import { findModel } from '../../../src/bert/models.js';
import { collectionFolder } from '../../collections.js';
import { readQueries } from '../../../src/collection/index.js';
import type { TextPair } from '../../../src/bert/types.js';
import { exportForPeers } from '../export-models.js';
import { median, writeLaptopReport } from './report.js';
import { passages, root, SOURCES } from '../workload.js';

const { values } = parseArgs({
  options: {
    models: { type: 'string', default: 'S,T' },
    rounds: { type: 'string', default: '3' },
    pairs: { type: 'string', default: '1000' },
    systems: { type: 'string' },
    results: { type: 'string', default: join(root, 'bench/results/scoring-laptop.json') },
  },
});
const [rounds, count] = [Number(values.rounds), Number(values.pairs)];
/** Calls of a round, of which the median counts. */
const CALLS = { 20: 5, 100: 3 } as const;

export interface LaptopRow {
  readonly model: string;
  readonly system: string;
  readonly precision: string;
  /** Milliseconds of 20 and of 100 passages, and those of all pairs, one of each round. */
  readonly few: readonly number[];
  readonly many: readonly number[];
  readonly all: readonly number[];
  /** Seconds from the start of the process to the scores of 20 passages. */
  readonly start: readonly number[];
  /** Largest resident memory of the process, in MB. */
  readonly peak: number;
  readonly tau: number;
}

export interface LaptopResults {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly pairs: number;
  /** Resident memory of Node without anything, in MB. */
  readonly nodeAlone: number;
  readonly rows: readonly LaptopRow[];
}

interface Contender {
  readonly system: string;
  readonly precision: string;
  readonly command: readonly string[];
}

const peers = join(root, 'bench/peers');
const python = join(peers, 'venv/bin/python');
/** Pairs of questions with passages, each question with as many as make up the number. */
async function realPairs(): Promise<TextPair[]> {
  const questions = (
    await Promise.all(SOURCES.map(async (name) => (await readQueries(collectionFolder(name))).slice(0, 8)))
  ).flat();
  const each = Math.ceil(count / questions.length);
  const texts = await passages(Math.max(100, each));
  return Array.from({ length: count }, (_, i) => ({
    a: questions[Math.floor(i / each) % questions.length].text,
    b: texts[i % texts.length],
  }));
}

/** A process that answers with a line for each line. */
class Running {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #started = performance.now();

  constructor(
    readonly contender: Contender,
    folder: string,
    model: string,
  ) {
    const [program, script, ...options] = contender.command;
    this.#child = spawn(program, [script, folder, model, ...options], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, TOKENIZERS_PARALLELISM: 'true', HF_HUB_OFFLINE: '1' },
    });
    const lines: Interface = createInterface({ input: this.#child.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Seconds to the first result. */
  async ready(): Promise<number> {
    await this.#next();
    return (performance.now() - this.#started) / 1000;
  }

  async ask(line: string | number): Promise<string> {
    this.#child.stdin!.write(`${line}\n`);
    return this.#next();
  }

  /** Megabytes. */
  peak(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1000;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin!.end();
    await ended;
  }

  async #next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`${this.contender.system} ${this.contender.precision} ended`);
    return value;
  }
}

const here = import.meta.dirname;
const ours = (precision: string, label: string): Contender => ({
  system: 'bert-qe',
  precision: label,
  command: [process.execPath, join(here, 'ours.mjs'), precision],
});
const inPython = (system: string, precision: string): Contender => ({
  system,
  precision,
  command: [python, join(here, 'contender.py'), system, precision],
});
const inJs = (dtype: string): Contender => ({
  system: 'Transformers.js',
  precision: dtype,
  command: [process.execPath, join(here, 'transformers-js.mjs'), dtype],
});
const everyone: readonly Contender[] = [
  ours('auto', 'default'),
  ours('fp32', 'fp32'),
  inPython('openvino', 'default'),
  inPython('openvino', 'int8'),
  inPython('onnxruntime', 'int8'),
  inPython('onnxruntime', 'fp32'),
  inJs('q8'),
  inJs('fp32'),
  inPython('sentence-transformers', 'bf16'),
  inPython('sentence-transformers', 'fp32'),
];

const systems = values.systems?.split(',');
const contenders = everyone.filter(({ system }) => systems?.includes(system) ?? true);
const hasPeers = contenders.some(({ system }) => system !== 'bert-qe');
if (hasPeers && !(existsSync(python) && existsSync(join(peers, 'node_modules')))) {
  process.stderr.write('The peers are not installed: bench/peers/install.sh\n');
  process.exit(2);
}

/** All contenders with one model. */
async function measured(folder: string, model: string): Promise<LaptopRow[]> {
  if (hasPeers) {
    await exportForPeers(await findModel(model), join(folder, model), { weights: true });
    process.stderr.write(`Quantising ${model} for the peers\n`);
    execFileSync(python, [join(here, 'quantise.py'), folder, model], {
      stdio: ['ignore', 'ignore', 'ignore'],
    });
  }
  const measurements = contenders.map(() => ({
    few: [] as number[],
    many: [] as number[],
    all: [] as number[],
    start: [] as number[],
  }));
  // Compiled models and pages of files are there from the first start on.
  for (let round = -1; round < rounds; round++) {
    for (const [i, contender] of contenders.entries()) {
      const running = new Running(contender, folder, model);
      const seconds = await running.ready();
      if (round >= 0) measurements[i].start.push(seconds);
      await running.close();
    }
  }
  const running: Running[] = [];
  for (const contender of contenders) {
    running.push(new Running(contender, folder, model));
    await running.at(-1)!.ready();
  }
  for (let round = 0; round < rounds; round++) {
    for (const [i, process] of running.entries()) {
      const times = async (pairs: number, calls: number) => {
        const found: number[] = [];
        for (let call = 0; call < calls; call++) found.push(Number(await process.ask(pairs)));
        return median(found);
      };
      await process.ask(100);
      measurements[i].few.push(await times(20, CALLS[20]));
      measurements[i].many.push(await times(100, CALLS[100]));
      measurements[i].all.push(await times(count, 1));
    }
  }
  const scores: number[][] = [];
  for (const process of running) scores.push(JSON.parse(await process.ask('scores')) as number[]);
  const exact = scores[contenders.findIndex(({ precision }) => precision === 'fp32')];
  const rows = contenders.map(({ system, precision }, i): LaptopRow => ({
    model,
    system,
    precision,
    ...measurements[i],
    peak: running[i].peak(),
    tau: kendallTau(exact, scores[i]),
  }));
  for (const process of running) await process.close();
  return rows;
}

/** Versions of the peers in Python. */
function versionsOfPeers(): Record<string, string> {
  const packages = ['openvino', 'nncf', 'onnxruntime', 'sentence-transformers', 'torch'];
  const program = `from importlib.metadata import version\nfor name in ${JSON.stringify(packages)}: print(name, version(name))`;
  const lines = execFileSync(python, ['-c', program], { encoding: 'utf8' }).trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
}

const folder = mkdtempSync(join(tmpdir(), 'bert-qe-laptop-'));
try {
  writeFileSync(join(folder, 'pairs.json'), JSON.stringify(await realPairs()));
  writeFileSync(join(folder, 'calibration.json'), JSON.stringify(await defaultCalibrationPairs()));
  const rows: LaptopRow[] = [];
  for (const model of values.models.split(',')) rows.push(...(await measured(folder, model)));
  const nodeAlone = Number(
    execFileSync(process.execPath, ['-e', 'console.log(process.resourceUsage().maxRSS / 1e3)']),
  );
  const results: LaptopResults = {
    date: new Date().toISOString(),
    processor: cpus()[0].model,
    cores: availableParallelism(),
    node: process.version,
    versions: hasPeers ? versionsOfPeers() : {},
    pairs: count,
    nodeAlone,
    rows,
  };
  mkdirSync(dirname(values.results), { recursive: true });
  writeFileSync(values.results, `${JSON.stringify(results, undefined, 1)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
if (systems === undefined) writeLaptopReport(values.results);
