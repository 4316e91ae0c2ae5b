// node --import tsx bench/scoring/laptop/report.ts: puts the results of run.ts into docs/benchmarks-scoring.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeSections } from '../../section.js';
import { root } from '../workload.js';
import type { LaptopResults, LaptopRow } from './run.js';

const HEADING = '## The default, beside other runtimes and libraries';

const RESULTS = join(root, 'bench/results/scoring-laptop.json');

export function writeLaptopReport(file = RESULTS): void {
  const results = JSON.parse(readFileSync(file, 'utf8')) as LaptopResults;
  writeSections(join(root, 'docs/benchmarks-scoring.md'), render(results));
}

function render({ date, processor, cores, node, versions, pairs, nodeAlone, rows }: LaptopResults): string[] {
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const perCore = (row: LaptopRow) => (1000 * pairs) / median(row.all) / cores;
  return [
    HEADING,
    '',
    `\`bench/peers/install.sh\`, then \`npm run build && node --import tsx bench/scoring/laptop/run.ts\` (${date.slice(0, 10)}, ${processor}, ${cores} cores, Node ${node}, ${named.join(', ')}). ` +
      `The same weights and texts everywhere: questions and passages of up to 100 words of five collections. Every contender is a process; they take turns in ${rows[0].all.length} rounds, and medians count. ` +
      `τ is Kendall’s τ with fp32 over ${pairs} pairs. OpenVINO’s default is bf16 where the processor multiplies it, as avx512-bf16 does. Start is from the start of the process to the scores of 20 passages. Peak memory is resident; Node alone has ${nodeAlone.toFixed(0)} MB.`,
    '',
    '| model | system | precision | 20 passages, ms | 100 passages, ms | pairs/s | pairs/s per core | τ | start, s | peak, MB |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => {
      const name = row.precision === 'default' && row.system === 'bert-qe' ? `**${row.system}**` : row.system;
      return (
        `| ${row.model} | ${name} | ${row.precision} | ${median(row.few).toFixed(1)} | ${median(row.many).toFixed(0)} | ` +
        `${(perCore(row) * cores).toFixed(0)} | ${perCore(row).toFixed(0)} | ${row.tau.toFixed(4)} | ` +
        `${median(row.start).toFixed(2)} | ${row.peak.toFixed(0)} |`
      );
    }),
  ];
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeLaptopReport();
