// node --import tsx bench/scoring/report.ts: writes docs/benchmarks-scoring.md from the results in bench/results.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderCuda } from './gpu/cuda-report.js';
import { renderGpu, renderSoftware } from './gpu/report.js';
import type { LargerResults } from './larger.js';
import type { SideEffectResults } from './side-effects.js';
import type { Measurement } from './measurement.js';
import type { ScoringResults } from './run.js';
import { writeSections } from '../section.js';
import { root } from './workload.js';
import type { Int8Row } from './int8.js';

const results = join(root, 'bench/results');

export function writeReport(): void {
  const sections = [
    section<ScoringResults>('scoring.json', renderSpeed),
    section<LargerResults>('scoring-larger.json', renderLarger),
    section<{ rows: Int8Row[] }>('scoring-int8.json', renderInt8),
    section<ParityResults>('scoring-parity.json', renderParity),
    section<SideEffectResults>('scoring-side-effects.json', renderSideEffects),
    renderCuda(join(results, 'scoring-cuda.jsonl')),
    renderGpu(join(results, 'scoring-gpu.jsonl')),
    renderSoftware(join(results, 'scoring-webgpu-software.jsonl')),
  ];
  for (const lines of sections) writeSections(join(root, 'docs/benchmarks-scoring.md'), lines);
}

function section<T>(file: string, render: (found: T) => string[]): string[] {
  const path = join(results, file);
  return existsSync(path) ? render(JSON.parse(readFileSync(path, 'utf8')) as T) : [];
}

function best(rows: readonly Measurement[]): Measurement {
  return rows.reduce((least, row) => (row.seconds < least.seconds ? row : least));
}

function renderSpeed(found: ScoringResults): string[] {
  const { measurements, workload } = found;
  const ceilings = measurements
    .flatMap(({ flops }) => (flops === undefined ? [] : [flops]))
    .sort((a, b) => b - a);
  const [ceiling, ...rest] = ceilings;
  const others = rest.map((rate) => (rate / 1e9).toFixed(0));
  const rounds = Object.keys(workload).map((model) => {
    const own = measurements.filter(
      (m) => m.system === 'bert-qe' && m.model === model && m.precision === 'fp32',
    );
    return `${model} ${own.length === 1 ? 'once' : `${own.length} times`}`;
  });
  const lines = [
    '## Speed on a CPU',
    '',
    `\`npm run bench:scoring\` (${found.date.slice(0, 10)}, Node ${found.node}, ${found.processor}, ${found.cores} cores). Phase three of one query: ` +
      `${found.passages} passages of up to 100 words of real text × 10 chunks of 10 words. Every system runs in a process of its own, in turn, ${rounds.join(', ')}; ` +
      `the best round counts. Transformers.js has the same weights in fp32 and its best batch size. Useful operations are those that exact scores need ` +
      '(the last layer for [CLS] alone, no padding). The ceiling is one plain 2048³ MatMul of floats through the same runtime on all cores.',
    '',
    `Ceiling: **${(ceiling / 1e9).toFixed(0)} GFLOP/s**, the best of ${ceilings.length} measurements; the others are ${others.join(', ')}. ` +
      'Read the ratios with that spread in mind.',
    '',
    '| model | system | precision | batch | seconds | pairs/s | × Transformers.js | useful GFLOP/s | of the ceiling |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const [model, { flops }] of Object.entries(workload)) {
    const of = (system: string, precision: string) =>
      best(measurements.filter((m) => m.system === system && m.model === model && m.precision === precision));
    const peer = of('transformers.js', 'fp32');
    for (const row of [peer, of('bert-qe', 'fp32'), of('bert-qe', 'int8')]) {
      const rate = flops / row.seconds;
      lines.push(
        `| ${model} | ${row.system} | ${row.precision} | ${row.batch} | ${row.seconds.toFixed(2)} | ${Math.round(row.pairs / row.seconds)} | ` +
          `${(peer.seconds / row.seconds).toFixed(2)} | ${(rate / 1e9).toFixed(0)} | ${((100 * rate) / ceiling).toFixed(0)} % |`,
      );
    }
  }
  const seconds = new Map<string, string[]>();
  for (const row of measurements.filter(({ flops }) => flops === undefined)) {
    const name = `${row.model} ${row.system} ${row.precision}`;
    seconds.set(name, [...(seconds.get(name) ?? []), row.seconds.toFixed(1)]);
  }
  const rows = [...seconds].map(([name, all]) => `${name} ${all.join(', ')}`);
  lines.push('', `Seconds of all rounds: ${rows.join('; ')}.`);
  return lines;
}

function renderInt8({ rows }: { rows: Int8Row[] }): string[] {
  const groups = ['S', 'T'].flatMap((model) =>
    ['development', 'test'].map((use) => ({
      model,
      use,
      own: rows.filter((row) => row.model === model && row.use === use),
    })),
  );
  const most = Math.max(...rows.map(({ queries }) => queries));
  return [
    '## What int8 costs in quality',
    '',
    `\`node --import tsx bench/scoring/int8.ts\`, a part of \`npm run bench:scoring\`. At most ${most} judged queries of a collection, evenly drawn, their first 50 candidates (DPH+KL, or the run that ` +
      'comes with the collection) re-ranked by their best passages. τ is Kendall’s τ between the scores of fp32 and of int8 over all pairs. Operands were chosen on development collections only.',
    '',
    '| collection | use | model | queries | pairs | τ | nDCG@20 fp32 | nDCG@20 int8 | difference |',
    '|---|---|---|---|---|---|---|---|---|',
    ...groups
      .filter(({ own }) => own.length > 0)
      .flatMap(({ model, use, own }) => [
        ...own.map(
          ({ collection, queries, pairs, tau, ndcg }) =>
            `| ${collection} | ${use} | ${model} | ${queries} | ${pairs} | ${numbers(tau, ndcg.fp32, ndcg.int8)}`,
        ),
        `| **mean** | **${use}** | **${model}** | | | ${numbers(
          mean(own, ({ tau }) => tau),
          mean(own, ({ ndcg }) => ndcg.fp32),
          mean(own, ({ ndcg }) => ndcg.int8),
        )}`,
      ]),
  ];
}

function mean(own: readonly Int8Row[], of: (row: Int8Row) => number): number {
  return own.reduce((sum, row) => sum + of(row), 0) / own.length;
}

function numbers(tau: number, fp32: number, int8: number): string {
  return `${tau.toFixed(4)} | ${fp32.toFixed(4)} | ${int8.toFixed(4)} | ${difference(fp32, int8)} |`;
}

function difference(before: number, after: number): string {
  return `${after >= before ? '+' : '−'}${Math.abs(after - before).toFixed(4)}`;
}

interface ParityResults {
  readonly date: string;
  readonly pairs: number;
  readonly largestDifference: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

function renderParity({ date, pairs, largestDifference }: ParityResults): string[] {
  const formats = [...new Set(Object.values(largestDifference).flatMap((row) => Object.keys(row)))];
  return [
    '## Exactness',
    '',
    `\`npm run test:parity\` (${date.slice(0, 10)}): the largest difference of a logit from Hugging Face transformers (PyTorch, fp32), from text to logits, ` +
      `${pairs} pairs of short and long texts, models of random weights made from a seed on both sides. The limit is 1e-4.`,
    '',
    `| size | ${formats.join(' | ')} |`,
    `|---|${'---|'.repeat(formats.length)}`,
    ...Object.entries(largestDifference).map(
      ([size, row]) =>
        `| ${size} | ${formats.map((format) => row[format]?.toExponential(1) ?? '–').join(' | ')} |`,
    ),
  ];
}

const giga = (value: number) => (value / 1e9).toFixed(0);

function renderLarger({ sizes }: LargerResults): string[] {
  const dates = [...new Set(sizes.map(({ date }) => date.slice(0, 10)))].sort().join(', ');
  return [
    '### How near each size comes to the ceiling',
    '',
    `\`node --import tsx bench/scoring/larger.ts\` (${dates}). The same pairs, fewer of them; M, B and L have random weights. A ceiling (floats, the best of twelve products) is measured before and after each round, ` +
      'and the round is compared with their mean. Seconds and rate are of the median round.',
    '',
    '| model | precision | workers × threads | pairs | seconds | useful GFLOP/s | ceilings | of the ceiling, each round | median |',
    '|---|---|---|---|---|---|---|---|---|',
    ...sizes.map(({ size, precision, layout, pairs, flops, rounds }) => {
      const seconds = median(rounds.map((round) => round.seconds));
      const ceilings = [rounds[0].ceilings[0], ...rounds.map((round) => round.ceilings[1])];
      const ratios = rounds.map(
        (round) => (200 * flops) / round.seconds / (round.ceilings[0] + round.ceilings[1]),
      );
      return (
        `| ${size} | ${precision} | ${layout} | ${pairs} | ${seconds.toFixed(1)} | ${giga(flops / seconds)} | ${ceilings.map(giga).join(', ')} | ` +
        `${ratios.map((ratio) => ratio.toFixed(0)).join(', ')} | ${median(ratios).toFixed(0)} % |`
      );
    }),
    '',
    ...WHERE_TIME_GOES,
  ];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** The meaning of the table: shares of a run by onnxruntime's profile of each node. */
const WHERE_TIME_GOES = [
  'Time of S in fp32 by operator (one thread, 4 × 146 tokens, 20th percentile of each node over 120 runs): feed-forward products 49 %, queries, keys and values 19 %, attention’s output 8 %, ' +
    'its scores and mixtures 9 %, GELU 5 %, LayerNorm 4 %, softmax 2 %, the rest 4 %. The calling thread takes 0.2 s of 30.',
  '',
  '- **Feed-forward units in blocks** (256 of T, S and M, 512 of B and L) stay in the core’s cache: S is 1.09 times as fast, T 1.02, with the same bits.',
  '- **A worker of one thread and a copy of the weights for every core**: the threads of one session wait for each other after every operator, so all are as slow as the core that is taken away. ' +
    'With 30 % of one core taken, L reaches 91 to 94 % of the ceiling with a copy for each core and 69 to 72 % with one session of two threads.',
  '- **Batches of one length** need no padding on a CPU. Batches of L have at most 512 tokens, of the other sizes 768.',
];

function renderSideEffects({ date, loop, memory, cycles }: SideEffectResults): string[] {
  return [
    '## Side effects',
    '',
    `\`node --import tsx bench/scoring/side-effects.ts\` (${date.slice(0, 10)}).`,
    '',
    `- **Event loop** of the main thread while ${loop.pairs.toLocaleString('en')} pairs are scored by T in ${loop.seconds.toFixed(1)} s: longest delay ${loop.maxMs.toFixed(1)} ms, ` +
      `99th percentile ${loop.p99Ms.toFixed(1)} ms (limit 50 ms).`,
    `- **Memory** over ${memory.pairs.toLocaleString('en')} pairs of distinct texts (a miniature model, ${memory.seconds.toFixed(0)} s): resident MB before, and after each tenth: ${memory.residentMb.join(', ')}.`,
    `- **${cycles.count} cycles** of load, score and close: resident MB after the first and after each tenth: ${cycles.residentMb.join(', ')}; ` +
      `handles before and after: ${cycles.handles.join(', ')}.`,
    '- Ctrl-C, abort, `process.exit` and exceptions in the middle of a batch: tests/cli/score.test.ts, tests/bert/scorer/processes.test.ts.',
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeReport();
