// node --import tsx bench/expansion/summary.ts FILE...   a Markdown table of what bench/expansion/top-k.ts printed
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { RerankCost } from '../../src/expansion/index.js';

/** One query, re-ranked with and without exact top-k. */
export interface TopKMeasurement {
  readonly collection: string;
  readonly models: string;
  readonly topK: number;
  readonly alpha: number;
  readonly beta: number;
  readonly query: string;
  readonly documents: number;
  /** True where the first k documents are those of the exhaustive run, in its order. */
  readonly sameOrder: boolean;
  /** The largest difference between their scores. */
  readonly scoreDifference: number;
  readonly pruned: MeasuredCost;
  readonly exhaustive: MeasuredCost;
}

export type MeasuredCost = RerankCost & {
  /** Of all threads together. */
  readonly processorSeconds: number;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lines = process.argv.slice(2).flatMap((file) => readFileSync(file, 'utf8').trim().split('\n'));
  process.stdout.write(summarise(lines.map((line) => JSON.parse(line) as TopKMeasurement)));
}

export function summarise(measurements: readonly TopKMeasurement[]): string {
  const groups = new Map<string, TopKMeasurement[]>();
  for (const measurement of measurements) {
    const { collection, models, topK, alpha, beta } = measurement;
    const name = [collection, models, topK, alpha, beta].join(' | ');
    groups.set(name, [...(groups.get(name) ?? []), measurement]);
  }
  const rows = [...groups].map(([name, group]) => {
    const share = (count: (cost: MeasuredCost) => number): string => {
      const total = (side: 'pruned' | 'exhaustive') =>
        group.reduce((sum, each) => sum + count(each[side]), 0);
      return `${((100 * total('pruned')) / total('exhaustive')).toFixed(1)} %`;
    };
    const seconds = (side: 'pruned' | 'exhaustive'): string =>
      (group.reduce((sum, each) => sum + each[side].processorSeconds, 0) / group.length).toFixed(1);
    return [
      name,
      group.length,
      share((cost) => cost.phaseThree.pairs),
      share((cost) => cost.pairs),
      share((cost) => cost.flops),
      `${seconds('pruned')} / ${seconds('exhaustive')}`,
      share((cost) => cost.processorSeconds),
      share((cost) => cost.seconds),
      group.every(({ sameOrder }) => sameOrder)
        ? 'yes'
        : `no (${group.filter((each) => !each.sameOrder).length})`,
      Math.max(...group.map(({ scoreDifference }) => scoreDifference)).toExponential(0),
    ].join(' | ');
  });
  return [
    '| collection | models | k | α | β | queries | phase-three pairs | all pairs | FLOPs | processor seconds a query | processor time | wall time | same order | score difference |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
  ].join('\n');
}
