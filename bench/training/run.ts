import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { LENGTHS } from './setting.js';

// Training steps beside PyTorch's, on the same processor and threads: npm run bench:training [-- FILE].
// Needs a Python with torch and transformers: BERT_QE_PYTHON, else ../peers/hf/bin/python. Every measurement is a process
// of its own; FILE (bench/training/results.json) keeps what was measured, so that a run that was stopped goes on.

/** The sizes that a CPU trains. */
type SmallSize = 'T' | 'S' | 'M';

interface Measured {
  readonly milliseconds: number;
  readonly memory: number;
  readonly torch?: string;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const python = process.env['BERT_QE_PYTHON'] ?? here('../../../peers/hf/bin/python');
const file = process.argv[2] ?? here('results.json');
const threads = 2;
/** Tokens that go through the model at a time, ours: the default of `train`. */
const tokens = 2048;
/** Timed steps: enough of the short ones for a steady median. */
const steps: Readonly<Record<SmallSize, Readonly<Record<number, number>>>> = {
  T: { 128: 12, 384: 8 },
  S: { 128: 8, 384: 5 },
  M: { 128: 4, 384: 2 },
};

const results = new Map<string, Measured>(
  existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Measured>) : [],
);

function measured(side: 'ours' | 'PyTorch', size: SmallSize, length: number, dropout: number): Measured {
  const key = `${side} ${size} ${length} ${dropout}`;
  const known = results.get(key);
  if (known) return known;
  const args = [size, length, dropout, threads, steps[size][length]].map(String);
  const [command, ...rest] =
    side === 'ours'
      ? [process.execPath, '--import', 'tsx', here('ours.ts'), ...args, String(tokens)]
      : [python, here('pytorch.py'), ...args];
  // Threads that wait must not spin: on few cores that makes PyTorch several times slower.
  const env = { ...process.env, OMP_WAIT_POLICY: 'PASSIVE' };
  const output = execFileSync(command, rest, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  const result = JSON.parse(output.trim().split('\n').at(-1)!) as Measured;
  results.set(key, result);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(results), undefined, 1)}\n`);
  process.stderr.write(`${key}: ${result.milliseconds.toFixed(0)} ms, ${result.memory.toFixed(0)} MB\n`);
  return result;
}

const rows: string[] = [];
for (const dropout of [0.1, 0]) {
  // Without dropout, PyTorch has a fused attention; the small sizes show what that does.
  for (const size of dropout > 0 ? (['T', 'S', 'M'] as const) : (['T', 'S'] as const)) {
    for (const length of LENGTHS) {
      const [ours, theirs] = (['ours', 'PyTorch'] as const).map((side) =>
        measured(side, size, length, dropout),
      );
      const rate = ({ milliseconds }: Measured): string => (32_000 / milliseconds).toPrecision(3);
      rows.push(
        `| ${size} | 32 × ${length} | ${dropout} | ${ours.milliseconds.toFixed(0)} | ${theirs.milliseconds.toFixed(0)} | ` +
          `${rate(ours)} | ${rate(theirs)} | ${(theirs.milliseconds / ours.milliseconds).toFixed(2)}× | ` +
          `${ours.memory.toFixed(0)} | ${theirs.memory.toFixed(0)} | ${(ours.memory / theirs.memory).toFixed(2)}× |`,
      );
    }
  }
}
const version = [...results.values()].find(({ torch }) => torch)?.torch;
process.stdout.write(
  [
    `${cpus()[0].model.trim()}, ${threads} threads, PyTorch ${version}, Node ${process.versions.node}.`,
    '',
    '| model | batch | dropout | ms ours | ms PyTorch | pairs/s ours | pairs/s PyTorch | speed | MB ours | MB PyTorch | memory |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n'),
);
