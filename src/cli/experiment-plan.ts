import type { Estimate, ExperimentPlan } from '../experiment/index.js';
import { counted, formatCount, formatDuration, tableText } from './format.js';

/** The plan and the cost of an experiment as text. */
export function describePlan(
  name: string,
  { systems, queries, folds, experiment, estimate }: ExperimentPlan,
): string {
  const { initial, baselines, variants, ablations, grid } = systems;
  const parts = [
    counted(variants.length, 'variant'),
    counted(baselines.length, 'baseline'),
    ...(ablations ? [counted(ablations.systems.length, 'ablation')] : []),
    ...(grid ? [counted(grid.points.length, 'grid point')] : []),
  ];
  const rows = estimate.work.map(({ size, phase, pairs, flops, seconds }) => [
    `${size}, ${phase}`,
    formatCount(pairs),
    petaflops(flops),
    seconds === undefined ? '' : formatDuration(seconds),
  ]);
  const total = totalOf(estimate);
  const names = baselines.filter((system) => 'control' in system).map((system) => system.name);
  const controls = names.length > 0 ? ` ${names.join(' and ')} come on top.` : '';
  return [
    `${name}: ${counted(queries, 'query')} in ${counted(folds, 'fold')}, the first ${experiment.depth} of ${initial.name}; ${parts.join(', ')}\n`,
    tableText(
      [
        ['model', 'pairs', 'PFLOP', 'on one H200'],
        ...rows,
        ['all', formatCount(total.pairs), petaflops(total.flops), formatDuration(total.seconds)],
      ],
      { align: 'right' },
    ),
    `Disk: ${diskOf(estimate)}.\n`,
    `Estimated from ${counted(estimate.sampled, 'document')} with ${estimate.passagesPerDocument.toFixed(1)} passages each; ` +
      'those that are retrieved are often longer. Times are of one NVIDIA H200 in fp16, at the rates of ' +
      `docs/benchmarks-scoring.md (M interpolated); training was not measured there.${controls}\n`,
  ].join('');
}

/** The cost of an experiment in one line. */
export function describeEstimate(name: string, estimate: Estimate): string {
  const { pairs, flops, seconds } = totalOf(estimate);
  return (
    `${name}: about ${formatCount(pairs)} pairs, ${petaflops(flops)} PFLOP (${formatDuration(seconds)} of one NVIDIA H200 ` +
    `in fp16${estimate.work.some((one) => one.seconds === undefined) ? ', without training' : ''}); disk: ${diskOf(estimate)}`
  );
}

function totalOf({ work }: Estimate): { pairs: number; flops: number; seconds: number } {
  const sum = (of: (one: Estimate['work'][number]) => number): number =>
    work.reduce((total, one) => total + of(one), 0);
  return {
    pairs: sum(({ pairs }) => pairs),
    flops: sum(({ flops }) => flops),
    seconds: sum(({ seconds = 0 }) => seconds),
  };
}

function diskOf({ scoreBytes, indexBytes, modelBytes }: Estimate): string {
  const parts = [
    `scores ${size(scoreBytes)}`,
    indexBytes === undefined ? 'indexes unknown without collection.count' : `indexes ${size(indexBytes)}`,
    ...(modelBytes > 0 ? [`models made ${size(modelBytes)}`] : []),
  ];
  return parts.join(', ');
}

function petaflops(flops: number): string {
  return significant(flops / 1e15);
}

function size(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${significant(bytes / 1e9)} GB`;
}

function significant(value: number): string {
  return value >= 100 ? formatCount(value) : value >= 1 ? value.toFixed(1) : value.toPrecision(2);
}
