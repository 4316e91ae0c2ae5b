// node --import tsx bench/scoring/report.ts: writes docs/benchmarks-scoring.md from the results in bench/results.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderGpu, renderSoftware } from './gpu/report.js';
import type { LargerResults } from './larger.js';
import type { MannersResults } from './manners.js';
import type { Measurement } from './measurement.js';
import type { ScoringResults } from './run.js';
import { root } from './workload.js';
import type { Int8Row } from './int8.js';

const results = join(root, 'bench/results');

export function writeReport(): void {
  const sections = [
    introduction,
    section<ScoringResults>('scoring.json', renderSpeed),
    section<LargerResults>('scoring-larger.json', renderLarger),
    section<{ rows: Int8Row[] }>('scoring-int8.json', renderInt8),
    section<ParityResults>('scoring-parity.json', renderParity),
    section<MannersResults>('scoring-manners.json', renderManners),
    renderGpu(join(results, 'scoring-gpu.jsonl')),
    renderSoftware(join(results, 'scoring-webgpu-software.jsonl')),
  ];
  const text = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  writeFileSync(join(root, 'docs/benchmarks-scoring.md'), `${text.join('\n\n')}\n`);
}

const introduction = [
  '# Benchmarks: scoring',
  '',
  'Written by `bench/scoring/report.ts` from the results of the commands named in each section.',
];

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
      `${found.passages} passages of up to 100 words of real text × 10 chunks of 10 words. Every contender runs in a process of its own, in turn, ${rounds.join(', ')}; ` +
      `the best round counts. Transformers.js has the same weights in fp32 and its best batch size. Useful operations are those that exact scores need ` +
      '(the last layer for [CLS] alone, no padding); the ceiling is one plain 2048³ MatMul of floats through the same runtime on all cores.',
    '',
    `Ceiling: **${(ceiling / 1e9).toFixed(0)} GFLOP/s**, the best of ${ceilings.length} measurements in the run, the others being ${others.join(', ')}: ` +
      'the machine was not idle, so read the ratios with that spread in mind.',
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
  lines.push('', `Seconds of all rounds: ${rows.join('; ')}.`, '', EARLIER);
  return lines;
}

/** What another run says about the spread. */
const EARLIER =
  'On 15 November the same command, two rounds, before light models’ batches travelled two in a message, gave T in 5.2 s (fp32) and 3.4 s (int8) and Transformers.js in 17.1 s, ' +
  'which is 3.3 and 5.0 times as fast; S in 45.0 s and 23.6 s, 2.4 and 4.5 times as fast, at 76 % of that run’s ceiling. Earlier on the 16th T was 4.15 and 5.8 times as fast, S 2.3 and 4.1 times, at 72 % of the ceiling. Both are of before feed-forward units were taken some at a time (below).';

function renderInt8({ rows }: { rows: Int8Row[] }): string[] {
  const mean = (model: string, precision: 'fp32' | 'int8') => {
    const own = rows.filter((row) => row.model === model);
    return own.reduce((sum, row) => sum + row.ndcg[precision], 0) / own.length;
  };
  const models = [...new Set(rows.map(({ model }) => model))];
  return [
    '## What int8 costs in quality',
    '',
    '`node --import tsx bench/scoring/int8.ts`. Judged queries of public collections, their first candidates of DPH+KL re-ranked by the score of ' +
      'query and document alone. τ is Kendall’s τ between the scores of fp32 and of int8, over all pairs and as the mean over queries.',
    '',
    '| collection | model | queries | pairs | τ | τ per query | nDCG@20 fp32 | nDCG@20 int8 | change |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.collection} | ${row.model} | ${row.queries} | ${row.pairs} | ${row.tau.toFixed(4)} | ${row.tauPerQuery.toFixed(4)} | ` +
        `${row.ndcg.fp32.toFixed(4)} | ${row.ndcg.int8.toFixed(4)} | ${change(row.ndcg.fp32, row.ndcg.int8)} |`,
    ),
    ...models.map((model) => {
      const [exact, bytes] = [mean(model, 'fp32'), mean(model, 'int8')];
      return `| **mean** | **${model}** | | | | | ${exact.toFixed(4)} | ${bytes.toFixed(4)} | ${change(exact, bytes)} |`;
    }),
  ];
}

function change(before: number, after: number): string {
  return `${after >= before ? '+' : '−'}${Math.abs((100 * (after - before)) / before).toFixed(2)} %`;
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
    `\`node --import tsx bench/scoring/larger.ts\` (${dates}). The same pairs, fewer of them; M, B and L with random weights. Each round of scoring stands between two ceilings, still of floats and the best of twelve products each, ` +
      'whose mean it is compared with; seconds and rate are of the median round, and the median of the ratios counts. M in fp32 was run twice: the first time, with a compiler at work beside it, its rounds were at 76, 75 and 90 %.',
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

/** What was found on 16 November with onnxruntime's profile of each node, and by alternating graphs in one process. */
const WHERE_TIME_GOES = [
  'Where the time of S in fp32 goes (one thread, 4 × 146 tokens, the 20th percentile of each node over 120 runs): feed-forward products 49 %, queries, keys and values 19 %, ' +
    'attention’s output 8 %, its scores and mixtures 9 %, GELU 5 %, LayerNorm 4 %, softmax 2 %, the rest 4 %. Outside the run there is 0.2 ms in 28. Nothing is padded, workers are never idle, ' +
    'and the calling thread takes 0.2 s of 30. Products of S’s shapes by themselves, weights in the cache, run at 1.2 times the rate of the 2048³ one, so the ceiling is not a bound for them.',
  '',
  'What was tried, each against the graph of that time, alternating every few batches in one process:',
  '',
  '- **Feed-forward units some at a time** (taken; 256 of T, S and M, 512 of B and L): graphs of S 1.06 times as fast, of T 1.02 to 1.05, of M 1.04, of B 1.07, of L 1.03 on one thread and no slower on two; the whole scorer with S 1.09 ' +
    'times (six rounds of 1,500 pairs, old and new in turn), with T 1.02; scores are the same to the bit.',
  '- **A copy of L for every core** (taken). L used to be held once, in a session of two threads, to save 1.3 GB, and was the only size whose rate swung: with the same graph 85, 78 and 47 % of the ceiling in runs of one day, ' +
    'and 21 s or 13 s for the same pairs in one process. The threads of a session meet after every operator. So all wait for the one whose core something else is using; and a thread that waits sleeps, whereupon, it seems, the host gives its core to others: of 11 rounds in turn with two workers of one thread, more of the cores’ time was stolen in 9, and less in none. ' +
    'Both loaded in one process and used in turn (42 pairs of L, in batches of one length), the session of two threads lost 20.7 % of the cores’ time to the host and took 31.4 s, 67 % of the ceilings beside it; two workers of one thread, right after, lost 2.5 % and took 19.9 s, 102 %. In the next round, 0.3 % stolen, ' +
    'it was 87 and 106 %. With a process of our own that kept one core busy for 30 ms of every 100: 69 and 72 % beside 91 and 94 %. On a quiet machine there is little between them (20 pairs, no two batches alike: 75 to 86 % beside 77 to 84 %). ' +
    'Hence workers of one thread wherever an eighth of the memory holds their copies; L takes 1.3 GB for each. Three whole runs of `larger.ts L fp32` since: 94 % (rounds of 87, 94, 97), 88 % (88, 87, 88) and 86 % (86, 87, 85, the line above).',
  '- **What it was not** (L, in turn, each in a process of its own): huge pages (`GLIBC_TUNABLES=glibc.malloc.hugetlb=1`, 0.9 to 1.2 GB of them in use): 88 beside 86 % of the mean ceiling with one sequence of 143 tokens, 95 beside 96 % with seven, and nothing on one thread; ' +
    'finer blocks for the thread pool: nothing; four threads on two cores: .87 to .93. Waiting threads that spin: 92 beside 86 % with one sequence, nothing with seven, and they would take the cores from everything else. Few tokens in a batch, with weights that no cache holds: on two threads one sequence of 143 tokens gave .9 of the rate of three or seven; ' +
    'on one thread all the same. So batches of L have 512 tokens at most, after which a call that was given up ends in half the time.',
  '- **Not measured**: machines of more cores, where B and L now have more workers of fewer threads than before.',
  '- **Other operators**: heads by one output product 1.00, MultiHeadAttention .99, Attention .98, BiasGelu .96; SkipLayerNormalization .89. LayerNorm of other operators takes 1.3 to 1.6 times as long.',
  '- **Tokens in a batch** (of whole batches, before the parts): 150 .94, 300 .99, 450 1.03, 600 1.01, 1,536 .98, 4,096 .92. With real batches of one length, 768 at most or 1,024 made no difference beyond the noise.',
  '- **Memory** (S): no arena, planned memory, denormals off, huge pages: within the noise.',
  '- **Layer 0 once for tokens that a batch has twice** at the same place: of 4,000 pairs 93 % are distinct, too many to gain by.',
];

function renderManners({ date, loop, memory, cycles }: MannersResults): string[] {
  return [
    '## Manners',
    '',
    `\`node --import tsx bench/scoring/manners.ts\` (${date.slice(0, 10)}).`,
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
